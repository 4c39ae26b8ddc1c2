import Spelling
import Testing

@Suite(.timeLimit(.minutes(1)))
struct NearestNameTests {
    private let names = ["name", "complete", "duration", "tenant", "listen", "clientSecretFile", "b2c_1_sign_in"]

    @Test(
        "the intended name is found, or nil",
        arguments: [
            ("completed", "complete"), ("nmae", "name"), ("naem", "name"), ("Nam", "name"), ("duraton", "duration"),
            ("durtaion", "duration"), ("Tenant", "tenant"), ("tennant", "tenant"), ("listne", "listen"),
            ("clientSecret", "clientSecretFile"), ("b2c_1_sing_in", "b2c_1_sign_in"), ("colour", nil), ("", nil),
            ("eman", nil), ("x", nil),
        ]
    )
    func nearest(_ written: String, _ meant: String?) {
        #expect(NearestName.of(written, among: names) == meant)
    }

    @Test(
        "of two that are as near the one with the same first letters is found",
        arguments: [["bits", "list"], ["list", "bits"]]
    )
    func beginning(_ names: [String]) {
        #expect(NearestName.of("lits", among: names) == "list")
    }

    @Test("of two that are as near the first by the alphabet is found, whatever their order") func order() {
        #expect(NearestName.of("due", among: ["dur", "dub"]) == "dub")
        #expect(NearestName.of("due", among: ["dub", "dur"]) == "dub")
    }
}
