import FlowModel
import Localization
import OAuth
import Testing

@Suite(.timeLimit(.minutes(1)))
struct AddressProblemTests {
    @Test(
        "the problem with an address is described in English and in German, with its values",
        arguments: [
            .notHTTPS, .notHTTP, .hasUser, .hasFragment, .hasQuery, .otherPort, .unprotected, .unprotectedText("<x>"),
            .linkLocal, .portInPath("<x>", corrected: "<y>"), .capitals("<x>", corrected: "<y>"),
            .metadataPath("<x>", corrected: "<y>"), .hasPath("<x>", corrected: "<y>"),
            .endsInSlash("<x>", corrected: "<y>"), .outOfBand, .tooLong(most: 7), .notWhole, .noHost, .notLoopback,
            .otherScheme,
        ] as [AddressProblem]
    )
    func sentences(_ problem: AddressProblem) {
        let text = Text("refusal.redirectURI", ["problem": problem])
        let german = text.words(in: .german)
        #expect(text.english == "A redirect URI \(problem)" && problem.text.english == problem.description)
        #expect(text.isInCatalog && german.hasPrefix("Eine Rücksprungadresse ") && !german.contains("must"))
        let values = problem.description.matches(of: /<.>/).map { String($0.output) }
        #expect(values.allSatisfy { german.contains($0) }, "\(german)")
    }
}
