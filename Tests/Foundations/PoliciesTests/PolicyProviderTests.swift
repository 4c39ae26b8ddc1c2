import FlowModel
import OAuth
import Testing

@testable import Policies

/// Tests the names by which requests refer to a policy's providers.
@Suite(.timeLimit(.minutes(1)))
struct PolicyProviderTests {
    @Test(
        "a provider's name is case-insensitive, and `aad` has two names",
        arguments: [
            ("partner", "PARTNER", "partner"), ("Partner", "partner", "Partner"), ("partner", "partners", nil),
            ("aad", "windowsAzureActiveDirectory", "aad"), ("aad", "AAD", "aad"),
            ("windowsazureactivedirectory", "aad", "windowsazureactivedirectory"), ("aad", "azure", nil),
            ("partner", "local", nil),
        ] as [(String, String, String?)]
    )
    func named(_ provider: String, asked: String, found: String?) throws {
        let (catalogue, problems) = load(["b2c_1_x": "kind: sign-in\nidentityProviders: [local, \(provider)]\n"])
        #expect(problems.isEmpty, "\(problems)")
        let policy = try #require(catalogue?[PolicyID("b2c_1_x")])
        #expect(policy.provider(named: asked) == found)
    }

    @Test("a policy whose provider is not configured is listed with a sentence that names what is missing")
    func missing() throws {
        let (catalogue, problems) = load(["b2c_1_x": "kind: sign-in\nidentityProviders: [local, partner]\n"])
        #expect(problems.isEmpty, "\(problems)")
        let all = try #require(catalogue)
        #expect(all.offering(["partner"]).summaries.map(\.missing) == [nil])
        let missing = Text("refusal.providerNotConfigured", ["key": "identityProviders.partner"])
        #expect(all.offering([]).summaries.map(\.missing) == [missing])
    }
}
