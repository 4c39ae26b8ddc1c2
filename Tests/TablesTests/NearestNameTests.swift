import Testing

@testable import Tables

struct NearestNameTests {
    @Test(
        "the name that was meant is found, or none",
        arguments: [
            ("completed", "complete"), ("nmae", "name"), ("naem", "name"), ("Nam", "name"), ("duraton", "duration"),
            ("durtaion", "duration"), ("colour", nil), ("", nil), ("eman", nil),
        ]
    )
    func nearest(_ written: String, _ meant: String?) {
        #expect(NearestName(among: ["name", "complete", "duration"]).to(written) == meant)
    }
}
