-- Grants of several lanes at once, from one sliding log per lane, after those that were not used have left it. The
-- arithmetic is that of lane_functions.sql.
--
-- KEYS[1]   a hash: one packed log {moment, n, moment, n, ...} per lane, and under '@epoch' the run of this
--           server and when it was first seen. One key, so that it is there as a whole or not at all.
-- ARGV      per lane: name, how many are wanted, tokens, span, pace, how many are given back, and for each of
--           those the moment it was written under. All times are microseconds.
-- returns   three per lane: how many are granted, how long to wait when not all were, and the moment they
--           were written under, by which they can be given back.

local STEPS = 32 -- rates above that are logged in so many steps per window, each rounded to the strict side

local clock = redis.call('TIME')
local now = tonumber(clock[1]) * 1000000 + tonumber(clock[2])

-- A server that was restarted, replaced or emptied does not know what was granted before: what it still
-- has is forgotten, and every lane waits for one interval (DESIGN §11.16).
local function known_since()
    local run = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
    local epoch = redis.call('HGET', KEYS[1], '@epoch')
    if epoch then
        local seen, since = string.match(epoch, '^(%x+) (%d+)$')
        if seen == run then
            return tonumber(since)
        end
    end
    redis.call('UNLINK', KEYS[1])
    redis.call('HSET', KEYS[1], '@epoch', string.format('%s %.0f', run, now))
    return now
end

-- Asked about no lane at all: only whether this server could grant anything. A read-only one could not.
if #ARGV == 0 then
    redis.call('HSET', KEYS[1], '@probe', 1)
    return {}
end

local function used_since(log, moment)
    local used = 0
    for i = 1, #log, 2 do
        if log[i] > moment then
            used = used + log[i + 1]
        end
    end
    return used
end

-- Twice the window is kept, so that a halved rate still sees what was granted before; and the newest one
-- always, for the pace.
local function without_old(log, moment)
    local kept = {}
    for i = 1, #log, 2 do
        if log[i] > moment or i == #log - 1 then
            kept[#kept + 1] = log[i]
            kept[#kept + 1] = log[i + 1]
        end
    end
    return kept
end

local function write(lane, log, n, tokens, span)
    local stamp = now
    if tokens > STEPS then
        local step = math.ceil(span / STEPS)
        stamp = math.ceil(now / step) * step
    end
    local kept = without_old(log, now - 2 * span)
    local last = #kept - 1
    if last > 0 and kept[last] >= stamp then
        stamp = kept[last]
        kept[last + 1] = kept[last + 1] + n
    else
        kept[#kept + 1] = stamp
        kept[#kept + 1] = n
    end
    redis.call('HSET', KEYS[1], lane, cmsgpack.pack(kept))
    return kept, stamp
end

local function next_slot(log, tokens, span, pace)
    local slot, used = now, 0
    if pace > 0 and #log > 0 then
        slot = math.max(slot, log[#log - 1] + pace)
    end
    for i = #log - 1, 1, -2 do
        if log[i] <= now - span then
            break
        end
        used = used + log[i + 1]
        if used >= tokens then
            return math.max(slot, log[i] + span)
        end
    end
    return slot
end

-- Exactly the entry a grant was written to, so that all others keep counting. An entry that is not there any
-- more stays forgotten: stricter, never looser.
local function give_back(log, stamp)
    for i = 1, #log, 2 do
        if log[i] == stamp then
            log[i + 1] = log[i + 1] - 1
            if log[i + 1] == 0 then
                table.remove(log, i)
                table.remove(log, i)
            end
            return
        end
    end
end

local function log_without(lane, stamps)
    local packed = redis.call('HGET', KEYS[1], lane)
    local log = packed and cmsgpack.unpack(packed) or {}
    for _, stamp in ipairs(stamps) do
        give_back(log, stamp)
    end
    if packed and #stamps > 0 then
        redis.call('HSET', KEYS[1], lane, cmsgpack.pack(log))
    end
    return log
end

local function grant(lane, wanted, tokens, span, pace, stamps, since)
    local log = log_without(lane, stamps)
    local starts = since + math.max(span, pace)
    if now < starts then
        return 0, starts - now, 0
    end
    local room = wanted
    if pace > 0 then
        room = math.min(room, 1)
        if #log > 0 and log[#log - 1] + pace > now then
            room = 0
        end
    end
    local granted = math.max(0, math.min(room, tokens - used_since(log, now - span)))
    local stamp = 0
    if granted > 0 then
        log, stamp = write(lane, log, granted, tokens, span)
    end
    local wait = granted < wanted and next_slot(log, tokens, span, pace) - now or 0
    return granted, wait, stamp
end

local since = known_since()
local answers = {}
local i = 1
while i <= #ARGV do
    local given, stamps = {}, {}
    for j = 1, 5 do
        given[j] = tonumber(ARGV[i + j])
    end
    for j = 1, given[5] do
        stamps[j] = tonumber(ARGV[i + 5 + j])
    end
    local granted, wait, stamp = grant(ARGV[i], given[1], given[2], given[3], given[4], stamps, since)
    answers[#answers + 1] = granted
    answers[#answers + 1] = wait
    answers[#answers + 1] = stamp
    i = i + 6 + #stamps
end
return answers
