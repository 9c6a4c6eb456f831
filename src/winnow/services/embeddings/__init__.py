"""The seam of an embedding API: vectors of texts, or why there are none (E-073).

answer = await embedder.embed(["Jazz in the Park", "Jazz @ Park"])
if answer.trouble is not None: …      # go on with the offline model, or with words alone
"""
