-- Every claim takes the next number; whoever holds an older one can write nothing any more (R-01).
CREATE SEQUENCE task_fences;
