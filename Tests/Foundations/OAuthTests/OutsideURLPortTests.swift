import OAuth
import Testing

@Suite(.timeLimit(.minutes(1)))
struct OutsideURLPortTests {
    @Test(
        "a port out of range is rejected",
        arguments: ["https://a.example:0", "https://a.example:65536", "https://127.0.0.1:99999", "http://[::1]:70000"]
    )
    func refused(_ url: String) {
        #expect(OutsideURL.refusal(url) == .otherPort)
        #expect(!OutsideURL.isOrigin(url))
    }

    @Test(
        "the lowest and the highest port are accepted",
        arguments: ["https://a.example:1", "https://a.example:65535"]
    )
    func taken(_ url: String) {
        #expect(OutsideURL.refusal(url) == nil)
    }
}
