-- Requests for wrk that write down what the service acknowledges. See Examples/Collector/trials.

local threads = 0

function setup(thread)
    thread:set("id", threads)
    threads = threads + 1
end

function init(_)
    file = assert(io.open("acknowledged-" .. id, "w"))
    number = 0
    headers = {
        ["Authorization"] = "Bearer " .. os.getenv("COLLECTOR_TOKEN"),
        ["Content-Type"] = "application/x-ndjson",
    }
end

function request()
    local lines = {}
    for line = 1, 10 do
        number = number + 1
        lines[line] = '{"type":"trial","thread":' .. id .. ',"n":' .. number .. ',"text":"' .. string.rep("x", 400) .. '"}'
    end
    return wrk.format("POST", "/events", headers, table.concat(lines, "\n"))
end

function response(status, _, body)
    if status ~= 201 then return end
    for event in string.gmatch(body, '"(%x+)"') do
        if #event >= 16 then file:write(event, "\n") end
    end
    file:flush()
end
