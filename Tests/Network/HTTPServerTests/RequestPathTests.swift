import HTTPTypes
import Testing

@testable import HTTPServer

@Suite(.timeLimit(.minutes(1)))
struct RequestPathTests {
    @Test(
        "segments are decoded once, without loss",
        arguments: [
            ("/", []), ("/a/b", ["a", "b"]), ("//a//b/", ["a", "b"]), ("/h%61rd", ["hard"]),
            ("/%EF%BB%BFsecret", ["\u{FEFF}secret"]),
            ("/%2541", ["%41"]), ("/a+b", ["a+b"]), ("/%20", [" "]), ("/e%CC%81", ["e\u{301}"]), ("/...", ["..."]),
            ("/%CC%81x", ["\u{301}x"]),
        ] as [(String, [String])]
    )
    func decoded(_ text: String, _ segments: [String]) throws {
        let path = try RequestPath(text)
        #expect(path.segments.map { Array($0.utf8) } == segments.map { Array($0.utf8) })
        #expect(try RequestPath(path.description).segments.map { Array($0.utf8) } == segments.map { Array($0.utf8) })
        #expect(!RequestPath.isCanonical(text) || text == path.description)
    }

    @Test(
        "an ambiguous path is rejected",
        arguments: [
            "", "*", "a", "host:443", "/a%2Fb", "/a%2fb", "/a%5Cb", "/a\\b", "/.", "/..", "/%2E", "/.%2e/x", "/%",
            "/%4",
            "/%GG", "/%FF", "/%C0%AF", "/%ED%A0%80", "/\u{E9}", "/\u{FFFD}", "/a#b", "/a b",
        ]
    )
    func refused(_ text: String) {
        let problem = #expect(throws: HTTPProblem.self) { try RequestPath(text) }
        #expect(problem?.status.code == 400)
    }
}
