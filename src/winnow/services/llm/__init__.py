"""The language model's seam: questions in batches, answers of a stated shape, and rules wherever there is none (E-064).

    (answer,) = await llm.ask([Question(purpose="agenda", instructions=…, text=…, shape=Opinion)])
    if answer.value is None: …            # answer.trouble says why; go on by rules

One narrow function a purpose stands beside it, such as agenda.py and selectors.py.
"""
