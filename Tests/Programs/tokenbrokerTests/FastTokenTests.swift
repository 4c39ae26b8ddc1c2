import Dispatch
import Glibc
import OAuth
import Testing

@testable import TestSupport
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

    @Test("a connection attempt ends after the time limit if the socket's accept queue is full") func crowded() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("crowded")
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        try #require(withUnixAddress(path) { bind(listener, $0, $1) } == 0 && listen(listener, 0) == 0)
        var waiting: [Int32] = []
        defer { for descriptor in waiting { close(descriptor) } }
        var isFull = false
        while !isFull, waiting.count < 64 {
            let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
            waiting.append(descriptor)
            isFull = withUnixAddress(path) { connect(descriptor, $0, $1) } != 0 && errno == EAGAIN
        }
        try #require(isFull)
        // An attempt without a limit ends when the listener does.
        let end = DispatchWorkItem { shutdown(listener, Int32(SHUT_RDWR)) }
        DispatchQueue.global().asyncAfter(deadline: .now() + 20, execute: end)
        defer { end.cancel() }
        let duration = ContinuousClock().measure { #expect(FastToken.connected(to: path, within: 50) == nil) }
        #expect(duration < .seconds(15))
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
