-- Authorization code flows of a signed-in user: one request for the code, one that redeems it. PKCE_PAIRS is a file of
-- verifiers with their challenges. A thread has one connection.
local threads = {}
function setup(thread)
    thread:set("number", #threads)
    threads[#threads + 1] = thread
end

local browser = { ["Cookie"] = os.getenv("COOKIE") }
local client = { ["Content-Type"] = "application/x-www-form-urlencoded" }
local proofs, at = {}, 0
flows, failed, first = 0, 0, ""
function init()
    browser["Host"] = wrk.headers["Host"]
    for name, value in pairs(wrk.headers) do client[name] = value end
    for line in io.lines(os.getenv("PKCE_PAIRS")) do
        local verifier, challenge = line:match("(%S+) (%S+)")
        proofs[#proofs + 1] = { verifier, challenge }
    end
    at = number * 97 % #proofs
end

local code
function request()
    if code then
        local form = os.getenv("FORM") .. "&code=" .. code .. "&code_verifier=" .. proofs[at][1]
        return wrk.format("POST", os.getenv("TOKEN_PATH"), client, form)
    end
    at = at % #proofs + 1
    return wrk.format("GET", os.getenv("AUTHORIZE_PATH") .. "&code_challenge=" .. proofs[at][2], browser)
end

local function fail(status, what)
    failed = failed + 1
    if first == "" then first = status .. " " .. what:sub(1, 300) end
end

function response(status, fields, body)
    if code then
        code = nil
        if status == 200 and body:find("access_token", 1, true) then flows = flows + 1 else fail(status, body) end
    else
        local location = fields["Location"] or fields["location"] or ""
        code = location:match("[?&]code=([^&]+)")
        if not code then fail(status, location .. " " .. body) end
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
