"""The geocoder's seam: places of a text, cached, or why there are none (E-062, E-094).

    answer = await geocoder.search("Paradiso, Amsterdam", "NL")
    if answer.trouble is not None: …      # ask later; until then the source's own coordinates stand in

Which of its candidates is believed is for the caller to decide (store/events/located.py).
"""
