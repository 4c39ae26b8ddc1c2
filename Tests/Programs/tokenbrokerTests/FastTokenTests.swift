import OAuth
import Testing

@testable import tokenbroker

@Suite(.timeLimit(.minutes(2)))
struct FastTokenTests {
    private func params(_ arguments: String...) throws -> JSONValue? {
        guard let call = FastTokenCall(["tokenbroker"] + arguments) else { return nil }
        #expect(call.request.last == 0x0A)
        return try StrictJSON.parse(call.request.dropLast())["params"]
    }

    @Test("the common forms become one request without prompts") func common() throws {
        let none: JSONValue = ["prompt": "none", "scopes": []]
        #expect(try params("token") == none)
        let all = try params(
            "token",
            "--scope",
            "a",
            "--policy",
            "p",
            "--scope",
            "b/c",
            "--account",
            "x",
            "--client",
            "y"
        )
        #expect(all == ["account": "x", "client": "y", "policy": "p", "prompt": "none", "scopes": ["a", "b/c"]])
    }

    @Test(
        "other forms are left to the full command",
        arguments: [
            ["accounts"], ["token", "--json"], ["token", "--help"], ["token", "--force-refresh"], ["token", "extra"],
            ["token", "--scope"], ["token", "--scope", "--json"], ["token", "--scope", ""],
            ["token", "--scope", "a\"b"],
            ["token", "--scope", "a\\b"], ["token", "--scope", "ä"], ["token", "--policy", "a", "--policy", "b"],
            ["token", "--scope=a"], ["token", "--min-validity", "5m"], ["token", "--no-prompt"],
            ["token", "--correlation-id", "x"], [],
        ]
    )
    func unusual(_ arguments: [String]) {
        #expect(FastTokenCall(["tokenbroker"] + arguments) == nil)
    }

    @Test("--header and --socket are read") func options() throws {
        let call = try #require(FastTokenCall(["tokenbroker", "token", "--header", "--socket", "/x"]))
        #expect(call.asHeader)
        #expect(call.socket == "/x")
    }

    @Test("the token is read from a response that has one") func found() {
        let answer =
            #"{"id":1,"jsonrpc":"2.0","result":{"kind":"token","token":{"acr":"1","accessToken":"ey.J-_~+/=","x":1}}}"#
        #expect(FastToken.token(in: Array(answer.utf8)).map { String(decoding: $0, as: UTF8.self) } == "ey.J-_~+/=")
    }

    @Test(
        "a response without a token yields none, whatever its texts contain",
        arguments: [
            #"{"id":1,"error":{"code":1001}}"#, #"{"result":{"kind":"flow","flow":{}}}"#,
            #"{"result":{"kind":"flow","flow":{"title":"\"kind\":\"token\" \"accessToken\":\"x\""}}}"#,
            #"{"result":{"kind":"token","token":{"accessToken":""}}}"#,
            #"{"result":{"kind":"token","token":{"accessToken":"a b"}}}"#,
            #"{"result":{"kind":"token","token":{"accessToken":"a\n"}}}"#,
            #"{"result":{"kind":"token","token":{"accessToken":"abc"#, "", "\n",
        ]
    )
    func none(_ answer: String) {
        #expect(FastToken.token(in: Array(answer.utf8)) == nil)
    }
}
