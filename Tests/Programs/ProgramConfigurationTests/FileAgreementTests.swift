import Foundation
import ProgramConfiguration
import StrictYAML
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct FileAgreementTests {
    /// Returns the problems that are found when a `tasksd.yaml` is compared with a `tokenbrokerd.yaml`.
    private func problems(tasksd: String, broker: String) throws -> [Problem] {
        let folder = try TemporaryFolder()
        let home = folder.path("tokenbroker")
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        try Data(broker.utf8).write(to: URL(fileURLWithPath: home + "/tokenbrokerd.yaml"))
        try Data(tasksd.utf8).write(to: URL(fileURLWithPath: home + "/tasksd.yaml"))
        let environment = ["XDG_CONFIG_HOME": folder.path(""), "XDG_RUNTIME_DIR": folder.path("run")]
        let paths = ProgramPaths(environment: environment, effectiveUID: 1000)
        let configuration = try #require(TasksdConfiguration.load(configuration: nil, paths: paths).0)
        let found = FileAgreement.problems(of: configuration, paths: paths)
        let other = try #require(BrokerConfiguration.load(path: paths.brokerConfiguration).0)
        #expect(FileAgreement.problems(of: other, paths: paths).count == found.count)
        return found
    }

    private let moved = "issuerBase: http://localhost:8421\nlisten: [\"127.0.0.1:8421\"]\n"

    @Test("a base that `trust` lacks is a warning at its line, with advice") func disagreement() throws {
        let trust = "cors: []\ntrust:\n  - {authority: \"unix:/run/a.sock\", base: \"http://localhost:8420\"}\n"
        let found = try problems(tasksd: trust, broker: moved)
        #expect(found.count == 1 && found.first?.severity == .warning && found.first?.line == 3)
        #expect(found.first?.message.contains("http://localhost:8421/local") == true)
        #expect(found.first?.message.contains("remove `trust`") == true)
        #expect(try problems(tasksd: trust, broker: "tenant: local\n").isEmpty)
    }

    @Test("a `resource` without an API at the authority is a warning at its line, unless tokens come from another one")
    func resource() throws {
        let tasksd = "cors: []\nresource: https://tasks.example\n"
        let found = try problems(tasksd: tasksd, broker: "tenant: local\n")
        #expect(found.count == 1 && found.first?.severity == .warning && found.first?.line == 2)
        #expect(found.first?.message.contains("`resource` is https://tasks.example, but no token is issued") == true)
        let apis = "apis: {tasks: {resources: [\"https://tasks.example\"], scopes: {tasks.read: Read}}}\n"
        #expect(try problems(tasksd: tasksd, broker: apis).isEmpty)
        #expect(try problems(tasksd: "resource: none\n", broker: apis).isEmpty)
        let elsewhere = "trust: [{authority: \"https://login.example\", base: \"https://login.example\"}]\n"
        #expect(try problems(tasksd: tasksd + elsewhere, broker: "tenant: local\n").isEmpty)
    }

    @Test("a sign-in client without the return address is a warning, and an unknown client causes no warning")
    func signIn() throws {
        let origins = "[\"https://tasks.example\", \"https://other.example\"]"
        let tasksd = "cors: []\nsignIn: {client: api, origins: \(origins)}\n"
        func broker(_ uris: String) -> String {
            "clients: {api: {type: public, apis: [tasks], redirectURIs: [\(uris)]}}\n"
        }
        let one = "\"https://tasks.example/.auth/login/callback\""
        let found = try problems(tasksd: tasksd, broker: broker(one))
        #expect(found.count == 1 && found.first?.severity == .warning && found.first?.line == 2)
        let lacks = "lacks the redirect URI https://other.example/.auth/login/callback"
        #expect(found.first?.message.contains(lacks) == true, "\(found)")
        let both = one + ", \"https://other.example/.auth/login/callback\""
        #expect(try problems(tasksd: tasksd, broker: broker(both)).isEmpty)
        #expect(try problems(tasksd: tasksd, broker: "tenant: local\n").isEmpty)
        // A loopback redirect URI matches with any port (RFC 8252 §7.3).
        let here = "signIn: {client: api, origins: [\"http://localhost:3000\"]}\n"
        #expect(try problems(tasksd: here, broker: broker("\"http://localhost/.auth/login/callback\"")).isEmpty)
        #expect(try problems(tasksd: here, broker: broker("\"http://localhost/callback\"")).count == 1)
        let elsewhere = "trust: [{authority: \"https://login.example\", base: \"https://login.example\"}]\n"
        #expect(try problems(tasksd: tasksd + elsewhere, broker: broker(one)).isEmpty)
    }

    @Test("a configuration that follows the authority, or names an external one, agrees with every base")
    func agreement() throws {
        #expect(try problems(tasksd: "cors: []\n", broker: moved).isEmpty)
        let elsewhere = "trust: [{authority: \"https://login.example\", base: \"https://login.example\"}]\n"
        #expect(try problems(tasksd: elsewhere, broker: moved).isEmpty)
    }
}
