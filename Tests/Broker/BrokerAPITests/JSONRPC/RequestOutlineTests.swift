import BrokerAPI
import Testing

@Suite(.timeLimit(.minutes(2)))
struct RequestOutlineTests {
    @Test(
        "the members are found in any order and with any spacing",
        arguments: [
            (#"{"jsonrpc":"2.0","id":12,"method":"token.acquire","params":{"a":"}\"{"}}"#, "12", #"{"a":"}\"{"}"#),
            (#"{"params":{"a":{}},"method":"token.acquire","id":"x","jsonrpc":"2.0"}"#, #""x""#, #"{"a":{}}"#),
            ("{ \"jsonrpc\" : \"2.0\", \"id\" : 0,\t\"method\": \"token.acquire\", \"params\": {} }\r", "0", "{}"),
        ]
    )
    func found(line: String, id: String, params: String) {
        let parts = outline(line)
        #expect(parts?.id == id)
        #expect(parts?.method == "token.acquire")
        #expect(parts?.params == params)
    }

    @Test(
        "a request that is not in the simplest form has no outline",
        arguments: [
            "", "{", "[]", "{}", #"{"jsonrpc":"2.0","id":1,"method":"m"}"#,
            #"{"jsonrpc":"2.0","method":"m","params":{}}"#, #"{"jsonrpc":"1.0","id":1,"method":"m","params":{}}"#,
            #"{"jsonrpc":"2.0","id":1,"id":2,"method":"m","params":{}}"#,
            #"{"jsonrpc":"2.0","id":1,"method":"m","params":{},"params":{}}"#,
            #"{"jsonrpc":"2.0","id":1,"method":"m","params":{},"more":1}"#,
            #"{"jsonrpc":"2.0","id":-1,"method":"m","params":{}}"#,
            #"{"jsonrpc":"2.0","id":01,"method":"m","params":{}}"#,
            #"{"jsonrpc":"2.0","id":1.5,"method":"m","params":{}}"#,
            #"{"jsonrpc":"2.0","id":null,"method":"m","params":{}}"#,
            #"{"jsonrpc":"2.0","id":"\n","method":"m","params":{}}"#,
            #"{"jsonrpc":"2.0","id":"é","method":"m","params":{}}"#,
            #"{"jsonrpc":"2.0","id":1,"method":"\u006d","params":{}}"#,
            #"{"jsonrpc":"2.0","id":1,"method":"m","params":[]}"#,
            #"{"jsonrpc":"2.0","id":1,"method":"m","params":{}"#,
            #"{"jsonrpc":"2.0","id":1,"method":"m","params":{}}x"#,
            #"{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":"\"#,
            #"{"jsonrpc":"2.0","id":1,"method":"m","params":{}},"#,
            #"{"jsonrpc":"2.0","id":1234567890123456,"method":"m","params":{}}"#,
        ]
    )
    func none(_ line: String) {
        #expect(outline(line) == nil)
    }

    @Test("a line that is cut anywhere has no outline and is not read beyond its end") func cut() {
        let line = #"{"jsonrpc":"2.0","id":"ab","method":"token.acquire","params":{"a":"\\","b":{}}}"#
        for length in 0..<line.utf8.count {
            #expect(outline(String(line.prefix(length))) == nil)
        }
    }

    private func outline(_ line: String) -> (id: String, method: String, params: String)? {
        let bytes = Array(line.utf8)
        guard let outline = bytes.withUnsafeBytes({ RequestOutline($0) }) else { return nil }
        func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
        return (text(outline.id), text(outline.method), text(outline.params))
    }
}
