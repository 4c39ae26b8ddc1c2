import OAuth
import Testing

@Suite(.timeLimit(.minutes(2)))
struct CorrelationIDTests {
    @Test("both cases are accepted, and lower case is written") func cases() {
        let id = CorrelationID("4B1D5B30-0C43-4AA3-A4A8-6E3B1C4A4B4C")
        #expect(id?.description == "4b1d5b30-0c43-4aa3-a4a8-6e3b1c4a4b4c")
        #expect(id == CorrelationID("4b1d5b30-0c43-4aa3-a4a8-6e3b1c4a4b4c"))
    }

    @Test(
        "any other text is rejected",
        arguments: [
            "", "x", "4b1d5b300c434aa3a4a86e3b1c4a4b4c", "{4b1d5b30-0c43-4aa3-a4a8-6e3b1c4a4b4}",
            "4b1d5b30-0c43-4aa3-a4a8-6e3b1c4a4b4g", "4b1d5b30-0c43-4aa3-a4a8-6e3b1c4a4b4c ",
        ]
    )
    func refused(_ text: String) {
        #expect(CorrelationID(text) == nil)
    }

    @Test("every new id is different") func random() {
        #expect(CorrelationID.random() != CorrelationID.random())
        #expect(CorrelationID(CorrelationID().description) != nil)
    }

    @Test("a new id is a UUID of version 4 (RFC 9562 §5.4)") func version() {
        for _ in 0..<100 {
            let text = Array(CorrelationID.random().description)
            #expect(text[14] == "4")
            #expect("89ab".contains(text[19]))
        }
    }
}
