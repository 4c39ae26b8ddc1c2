import Foundation
import Policies
import ProgramConfiguration
import StrictYAML
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct ShippedFilesTests {
    private static let folder = ProjectFolder.path + "/etc/tokenbroker"

    private func node(_ name: String) throws -> YAMLNode {
        try YAMLDocument.parse(path: "\(Self.folder)/\(name)")
    }

    /// Returns the top-level keys that a file lacks, except keys that only later versions accept.
    ///
    /// A key without a default is in a comment.
    private func missing(_ shape: Shape, _ name: String) throws -> [String] {
        guard case .object(let keys) = shape else { return ["everything"] }
        let (node, text) = (try node(name), try String(contentsOfFile: "\(Self.folder)/\(name)", encoding: .utf8))
        return keys.filter { key in
            if case .later = key.shape, key.standard == nil { return false }
            return node[key.name] == nil && !text.contains("\n# \(key.name): ")
        }.map(\.name)
    }

    @Test(
        "each unit lets its daemon look up the users of its local clients",
        arguments: ["system/tokenbroker", "system/tasksd", "user/tokenbroker", "user/tasksd"]
    )
    func netlink(_ unit: String) throws {
        let path = "\(Self.folder)/../../systemd/\(unit).service"
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        let families = lines.filter { $0.hasPrefix("RestrictAddressFamilies=") }
        #expect(families == ["RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK"])
        #expect(!lines.contains("PrivateNetwork=yes") && !lines.contains("PrivateUsers=yes"))
    }

    @Test("the copy of tokenbrokerd.yaml has every key at its default, except that mails are sent") func broker() throws
    {
        let path = "\(Self.folder)/tokenbrokerd.yaml"
        let (configuration, problems) = BrokerConfiguration.load(path: path)
        #expect(problems.isEmpty, "\(problems)")
        #expect(configuration?.mail.staysInFolder == false && configuration?.mail.server == nil)
        #expect(BrokerConfiguration.standard?.mail.staysInFolder == true)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let rest = text.replacing("\n  transport: sendmail\n", with: "\n  transport: outbox\n")
        let other = try YAMLDocument.parse(rest, file: path)
        #expect(BrokerConfiguration.read(other, folder: Self.folder).0 == BrokerConfiguration.standard)
        #expect(try missing(BrokerShape.file, "tokenbrokerd.yaml").isEmpty)
    }

    @Test("the copy of tasksd.yaml has every key at its default") func tasksd() throws {
        let socket = AuthoritySocket(path: "/run/tokenbroker/authority.sock", trustsFolder: true)
        let (configuration, problems) = TasksdConfiguration.load(
            path: "\(Self.folder)/tasksd.yaml",
            authoritySockets: [socket]
        )
        #expect(problems.isEmpty, "\(problems)")
        let empty = YAMLNode.empty(file: "default")
        #expect(configuration == TasksdConfiguration.read(empty, folder: "/", authoritySockets: [socket]).0)
        // The file lacks `trust`, because a file with this key does not follow the authority.
        #expect(try missing(TasksdShape.file, "tasksd.yaml") == ["trust"])
    }

    @Test("the copy of tasks.yaml has every key at its default") func tasks() throws {
        let (configuration, problems) = TasksConfiguration.load(path: "\(Self.folder)/tasks.yaml")
        #expect(problems.isEmpty, "\(problems)")
        #expect(configuration == TasksConfiguration.standard)
        #expect(try missing(TasksConfiguration.shape, "tasks.yaml").isEmpty)
    }

    @Test("the copies of policies have every key and agree with the shipped ones") func policies() throws {
        let (catalogue, problems) = PolicyCatalogue.load(folder: "\(Self.folder)/policies")
        #expect(problems.isEmpty, "\(problems)")
        let shipped = PolicyCatalogue.load(files: ShippedPolicies.files).0
        #expect(catalogue?.policies == shipped?.policies)
        #expect(catalogue?.checks == shipped?.checks)
        for (id, policy) in try #require(shipped).policies {
            let missing = try missing(PolicyShape.policy, "policies/\(id).yaml")
            // A step-up policy accepts only a few keys.
            let own = ["kind", "displayName", "mandatoryScope", "scopes"]
            let lacking = policy.kind.stepsUp ? missing.filter(own.contains) : missing
            #expect(lacking.isEmpty, "\(id): \(lacking)")
        }
    }

    @Test("every schema is JSON and defines every top-level key") func schemas() throws {
        for (title, shape) in [
            ("tokenbrokerd.yaml", BrokerShape.file), ("tasksd.yaml", TasksdShape.file),
            ("tasks.yaml", TasksConfiguration.shape), ("policy", PolicyShape.policy),
            ("outside policy", PolicyShape.outside), ("checks.yaml", PolicyShape.checks),
        ] {
            let text = shape.jsonSchema(title: title)
            let json = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
            let properties = try #require(json["properties"] as? [String: Any])
            guard case .object(let keys) = shape else { continue }
            #expect(properties.keys.sorted() == keys.map(\.name).sorted())
        }
    }
}
