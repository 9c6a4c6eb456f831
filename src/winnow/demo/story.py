"""The tour: its acts in order, each waited for and seen in the database, or named as not seen."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime

import msgspec

from winnow.demo import crawl_acts, drift_acts, feed_acts, price_acts, town_acts
from winnow.demo.scene import LeftOut, NotSeen, Scene
from winnow.queries import demo_tour as demo_tour_module
from winnow.queries.demo_tour import Guide, Step, StepState


@dataclass(frozen=True, slots=True)
class Act:
    """`page` is where the console shows what the act is about."""

    id: str
    title: str
    page: str
    play: Callable[[Scene], Awaitable[str]]


DRIFT = (
    Act("drift", "Break the template: drift is caught", "/adapters", drift_acts.template_breaks),
    Act("review", "Review what was held", "/quarantine", drift_acts.a_person_reviews),
    Act("replay", "Replay stored pages through the next adapter", "/adapters", drift_acts.a_candidate_is_replayed),
    Act("recovery", "Repair the template: the adapter recovers", "/runs", drift_acts.repaired_and_enabled),
)
TOWN = (
    Act("town", "Three agendas of a town, one calendar", "/events", town_acts.agendas_become_one),
    Act("separate", "Take a merge back", "/events", town_acts.a_merge_is_taken_back),
    Act("cancelled", "An evening is cancelled", "/events", town_acts.an_evening_is_cancelled),
    Act("redesign", "An agenda is redesigned: nothing is taken for gone", "/quarantine",
        town_acts.a_list_is_redesigned),
)  # fmt: skip
ARRIVE = Act("prices", "Prices arrive, and move", "/products", price_acts.arrive)
ACTS = (
    ARRIVE,
    Act("corner", "A corner that only scripts fill", "/sources", price_acts.corner),
    Act("feed", "Connect an SFTP catalogue", "/feeds", feed_acts.connect),
    Act("crawl", "Crawl a shop of 300 products from its address", "/crawls", crawl_acts.crawl),
    Act("neighbour", "A site misbehaves, the others go on", "/domains", price_acts.neighbour),
    DRIFT[0],
    DRIFT[1],
    Act("spike", "Drop half of the catalogue: the spike is blocked", "/feeds", feed_acts.half_is_gone),
    Act("approve", "Approve it", "/feeds", feed_acts.approve),
    DRIFT[2],
    DRIFT[3],
    *TOWN,
)
BREAK_TEMPLATE = (ARRIVE, *DRIFT)

Tell = Callable[[Step], None]


class Story:
    """Keeps the guide in the data folder up to date, so that the console shows the same steps."""

    def __init__(self, scene: Scene, acts: tuple[Act, ...], began_at: datetime, tell: Tell) -> None:
        self._scene, self._acts, self._tell = scene, acts, tell
        steps = tuple(Step(id=act.id, title=act.title, page=act.page) for act in acts)
        self.guide = Guide(shop=scene.shop.url, began_at=began_at, steps=steps)
        demo_tour_module.write(scene.stage.folder, self.guide)

    async def play(self) -> None:
        """To the end, or to the first act that was not seen: the ones after it build on it."""
        for act in self._acts:
            self._note(act, StepState.DOING)
            try:
                self._note(act, StepState.SEEN, await act.play(self._scene))
            except LeftOut as reason:
                self._note(act, StepState.LEFT_OUT, str(reason))
            except NotSeen as missed:
                self._note(act, StepState.FAILED, str(missed))
                return

    def _note(self, act: Act, state: StepState, said: str = "") -> None:
        step = next(step for step in self.guide.steps if step.id == act.id)
        step = msgspec.structs.replace(step, state=state, said=said)
        self.guide = self.guide.with_step(step)
        demo_tour_module.write(self._scene.stage.folder, self.guide)
        self._tell(step)
