-- Grants that were not used leave the log: exactly the entries they were written to, so that all others keep
-- counting. An entry that is not there any more stays forgotten: stricter, never looser.
--
-- KEYS[1]   as in grant.lua
-- ARGV      two per grant: the lane and the moment it was written under

for i = 1, #ARGV, 2 do
    local lane, stamp = ARGV[i], tonumber(ARGV[i + 1])
    local packed = redis.call('HGET', KEYS[1], lane)
    local log = packed and cmsgpack.unpack(packed) or {}
    for j = 1, #log, 2 do
        if log[j] == stamp then
            log[j + 1] = log[j + 1] - 1
            if log[j + 1] == 0 then
                table.remove(log, j)
                table.remove(log, j)
            end
            redis.call('HSET', KEYS[1], lane, cmsgpack.pack(log))
            break
        end
    end
end
return #ARGV / 2
