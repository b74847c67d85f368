-- Requests for wrk: POST /events with events that are all different. See Examples/Collector/load.

local threads = 0
-- Also known to done(), which doesn't see what init() has read.
local perRequest = tonumber(os.getenv("COLLECTOR_EVENTS"))

-- Milliseconds between an answer and the next request of its connection.
local pause = tonumber(os.getenv("COLLECTOR_PAUSE"))
if pause then
    function delay() return pause end
end

function setup(thread)
    thread:set("id", threads)
    threads = threads + 1
end

function init(arguments)
    local bytes = tonumber(arguments[1])
    hasKeys = arguments[2] == "1"
    -- Other keys than those of an earlier load.
    run = os.time() .. "-" .. id
    number = 0
    requests = 0
    local types = { "page.view", "click", "purchase", "error", "heartbeat" }
    heads, tails = {}, {}
    for index = 1, perRequest do
        heads[index] = '{"type":"' .. types[(index - 1) % #types + 1] .. '","host":"web-' .. index % 16 .. '","n":'
        local padding = bytes - #heads[index] - 20 - 10
        tails[index] = ',"text":"' .. string.rep("x", math.max(0, padding)) .. '"}'
    end
    headers = {
        ["Authorization"] = "Bearer " .. os.getenv("COLLECTOR_TOKEN"),
        ["Content-Type"] = perRequest == 1 and "application/json" or "application/x-ndjson",
    }
end

function request()
    local parts = {}
    for index = 1, perRequest do
        number = number + 1
        parts[3 * index - 2] = heads[index]
        parts[3 * index - 1] = 10000000000 + number
        parts[3 * index] = tails[index]
        if index < perRequest then parts[3 * index] = tails[index] .. "\n" end
    end
    requests = requests + 1
    if hasKeys then headers["Idempotency-Key"] = run .. "-" .. requests end
    return wrk.format("POST", "/events", headers, table.concat(parts))
end

-- wrk itself counts answers that aren't 2xx or 3xx.
function done(summary, latency, _)
    local seconds = summary.duration / 1e6
    local answered = summary.requests - summary.errors.status
    local sent = answered * perRequest
    io.write(string.format("\nrequests/s   %.0f\nevents/s     %.0f\n", answered / seconds, sent / seconds))
    io.write(string.format("latency      median %.2f ms, 99th percentile %.2f ms, 99.9th %.2f ms, longest %.1f ms\n",
        latency:percentile(50) / 1000, latency:percentile(99) / 1000, latency:percentile(99.9) / 1000,
        latency.max / 1000))
    io.write(string.format("errors       %d answers, %d connect, %d read, %d write, %d time-outs\n",
        summary.errors.status, summary.errors.connect, summary.errors.read, summary.errors.write,
        summary.errors.timeout))
end
