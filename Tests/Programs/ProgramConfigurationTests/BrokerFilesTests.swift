import Foundation
import Policies
import ProgramConfiguration
import StrictYAML
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct BrokerFilesTests {
    private let folder: TemporaryFolder
    private let paths: ProgramPaths

    init() throws {
        folder = try TemporaryFolder()
        let environment = ["XDG_CONFIG_HOME": folder.url.path, "XDG_RUNTIME_DIR": "/run/user/1", "HOME": "/"]
        paths = ProgramPaths(environment: environment, effectiveUID: 1)
    }

    private func write(_ text: String, _ path: String) throws {
        let url = folder.url.appendingPathComponent(path)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    @Test("without a file the embedded defaults and the shipped policies apply") func nothing() throws {
        let (files, problems) = BrokerFiles.load(configuration: nil, policies: nil, paths: paths)
        #expect(problems.isEmpty, "\(problems)")
        #expect(files?.configuration == BrokerConfiguration.standard)
        #expect(files?.catalogue.policies.count == 6)
        #expect(TasksdConfiguration.load(configuration: nil, paths: paths).0 != nil)
        #expect(TasksConfiguration.load(configuration: nil, paths: paths).0 == TasksConfiguration.standard)
    }

    @Test("files at the default paths are read") func usual() throws {
        try write("tenant: acme\ndefaultPolicy: b2c_1_a\n", "tokenbroker/tokenbrokerd.yaml")
        try write("kind: sign-in\n", "tokenbroker/policies/b2c_1_a.yaml")
        try write("checks: {UserLogin: {type: password}}\n", "tokenbroker/policies/checks.yaml")
        try write("protect: {}\n", "tokenbroker/tasksd.yaml")
        try write("client: other\n", "tasks/tasks.yaml")
        let (files, problems) = BrokerFiles.load(configuration: nil, policies: nil, paths: paths)
        #expect(problems.isEmpty, "\(problems)")
        #expect(files?.configuration.tenant == "acme")
        #expect(files?.catalogue.policies.count == 1)
        let tasksd = try #require(TasksdConfiguration.load(configuration: nil, paths: paths).0)
        #expect(tasksd.protect.isEmpty)
        #expect(
            tasksd.trust.first?.source
                == .followed([
                    AuthoritySocket(path: "/run/user/1/tokenbroker/authority.sock"),
                    AuthoritySocket(path: "/run/tokenbroker/authority.sock", trustsFolder: true),
                ])
        )
        #expect(TasksConfiguration.load(configuration: nil, paths: paths).0?.client == "other")
    }

    @Test("every file that is named must exist, and all problems of both files are reported") func named() throws {
        let (none, missing) = BrokerFiles.load(
            configuration: folder.path("c.yaml"),
            policies: folder.path("p"),
            paths: paths
        )
        #expect(none == nil)
        #expect(missing.map(\.file) == [folder.path("c.yaml"), folder.path("p")])
        try write("tenants: x\n", "c.yaml")
        try write("kind: sign-inn\n", "p/b2c_1_a.yaml")
        try write("checks: {UserLogin: {type: password}}\n", "p/checks.yaml")
        let (_, both) = BrokerFiles.load(
            configuration: folder.path("c.yaml"),
            policies: folder.path("p"),
            paths: paths
        )
        #expect(both.count == 2, "\(both)")
    }

    @Test("a default policy that is not among the policies is an error") func defaultPolicy() throws {
        try write("kind: sign-in\n", "p/b2c_1_a.yaml")
        try write("checks: {UserLogin: {type: password}}\n", "p/checks.yaml")
        let (files, problems) = BrokerFiles.load(configuration: nil, policies: folder.path("p"), paths: paths)
        #expect(files == nil)
        #expect(problems.contains { $0.message.contains("there is no policy b2c_1_sign_up_or_in") })
    }
}
