import Testing

@testable import AuthorityWeb

@Suite(.timeLimit(.minutes(1)))
struct RenderedOnceTests {
    @Test("a document is rendered once for what it describes, and again after that has changed") func once() {
        let document = RenderedOnce<[String]>()
        var rendered: [[String]] = []
        func bytes(_ policies: [String]) -> [UInt8] {
            document.bytes(for: policies) { policies in
                rendered.append(policies)
                return policies.flatMap(\.utf8)
            }
        }
        for policies in [["a"], ["a"], ["a", "b"], ["a", "b"]] {
            #expect(bytes(policies) == policies.flatMap(\.utf8))
        }
        #expect(rendered == [["a"], ["a", "b"]])
    }
}
