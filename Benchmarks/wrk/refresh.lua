-- Redeems refresh tokens, each for its successor. REFRESH_TOKENS is a file with one token per line. A thread uses the line
-- of its number and has one connection. The final tokens are not written back: a file can be used for one run.
local threads = {}
function setup(thread)
    thread:set("number", #threads)
    threads[#threads + 1] = thread
end

local fields = { ["Content-Type"] = "application/x-www-form-urlencoded" }
function init()
    for name, value in pairs(wrk.headers) do fields[name] = value end
    local line = 0
    for token in io.lines(os.getenv("REFRESH_TOKENS")) do
        if line == number then held = token end
        line = line + 1
    end
end

function request()
    return wrk.format("POST", os.getenv("TOKEN_PATH"), fields, os.getenv("FORM") .. "&refresh_token=" .. held)
end

flows, failed, first = 0, 0, ""
function response(status, _, body)
    local successor = body:match('"refresh_token"%s*:%s*"([^"]+)"')
    if status == 200 and successor then
        held, flows = successor, flows + 1
    else
        failed = failed + 1
        if first == "" then first = status .. " " .. body:sub(1, 300) end
    end
end

function done()
    local all, wrong, why = 0, 0, ""
    for _, thread in ipairs(threads) do
        all, wrong = all + thread:get("flows"), wrong + thread:get("failed")
        if why == "" then why = thread:get("first") end
    end
    print(string.format("flows %d failed %d %s", all, wrong, why))
end
