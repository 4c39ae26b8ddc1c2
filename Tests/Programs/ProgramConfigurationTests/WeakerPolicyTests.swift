import Policies
import ProgramConfiguration
import StrictYAML
import Testing

/// Tests policies that are weaker than the default policy.
@Suite(.timeLimit(.minutes(1)))
struct WeakerPolicyTests {
    private static let factor = "secondFactor: {when: %, checks: [Code]}"

    /// Returns the problems that are reported if the default policy and another policy have these second-factor rules.
    private func problems(usual: String, other: String) throws -> [Problem] {
        func policy(_ name: String, _ kind: String, _ when: String) -> PolicyCatalogue.File {
            let rule = when == "never" ? "" : Self.factor.replacing("%", with: when)
            return .init(path: "b2c_1_\(name).yaml", text: "kind: \(kind)\nsignInChecks: [Login]\n\(rule)\n")
        }
        let (catalogue, faults) = PolicyCatalogue.load(files: [
            .init(path: "checks.yaml", text: "checks: {Login: {type: password}, Code: {type: emailCode}}"),
            policy("usual", "sign-in", usual), policy("other", "sign-in", other),
            .init(path: "b2c_1_more.yaml", text: "kind: step-up\nmandatoryScope: [Login]\n"),
        ])
        #expect(faults.filter { $0.severity == .error } == [])
        let node = try YAMLDocument.parse("tenant: x\ndefaultPolicy: b2c_1_usual\n", file: "f")
        let configuration = try #require(BrokerConfiguration.read(node, folder: "/etc").0)
        return configuration.problems(with: try #require(catalogue))
    }

    @Test(
        "a policy that requires a second factor less often than the default policy is a warning",
        arguments: [
            ("always", "never", "no second factor"), ("always", "newDevice", "a second factor on new devices only"),
            ("newDevice", "never", "no second factor"),
        ]
    )
    func weaker(_ usual: String, _ other: String, _ words: String) throws {
        let found = try problems(usual: usual, other: other)
        #expect(found.count == 1 && found.first?.severity == .warning && found.first?.line == 2, "\(found)")
        #expect(found.first?.message.hasPrefix("policy b2c_1_other requires \(words), and the `defaultPolicy`") == true)
    }

    @Test(
        "a policy that requires it as often as the default policy, or more often, is no warning",
        arguments: [
            ("never", "never"), ("never", "always"), ("newDevice", "newDevice"), ("newDevice", "always"),
            ("always", "always"),
        ]
    )
    func fine(_ usual: String, _ other: String) throws {
        #expect(try problems(usual: usual, other: other) == [])
    }
}
