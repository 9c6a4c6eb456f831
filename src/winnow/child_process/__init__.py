"""One of our modules in a process of its own, and the frames both sides exchange over its stdin and stdout.

    child = ChildProcess("winnow.fetch.archive.packing_child", folder)     # here
    child.start()
    child.send(order, *bodies)
    answer = child.receive()

    with serving(memory_mb=512) as parent:                                  # there
        while (frame := parent.receive()) is not None:
            parent.send(answer_to(frame))

A frame is its length in 4 bytes, big-endian, and as many bytes. What they hold is the affair of the two. A child ends
when its parent is gone, however that ended: its stdin is at the end, or its stdout is broken. Ctrl-C, which reaches
every process of a terminal, is left to the parent.
"""
