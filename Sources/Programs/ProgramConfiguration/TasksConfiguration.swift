import Foundation
public import Policies
public import StrictYAML

/// `tasks.yaml`, checked.
public struct TasksConfiguration: Hashable, Sendable {
    /// Every key of the file.
    public static let shape: Shape = .object([
        Key(
            "api",
            .text(Rules.api),
            default: "http://localhost:3000",
            "Where the tasks are; `apis.NAME.origins` of the daemon has to name its origin."
        ),
        Key("client", .text(Rules.name), default: "tasks-cli", "The client that tokens are asked for."),
        Key(
            "scopes",
            .list(.text(Rules.scope), count: 1...64),
            default: "[tasks.read, tasks.write]",
            "The scopes that are asked for."
        ),
        Key(
            "additionalScopes",
            .list(.text(Rules.scope), count: 0...64),
            default: "[]",
            "Scopes that are asked for when the user is asked anyway."
        ),
        Key("policies", .object(policyKeys), "The policies of the commands."),
        Key(
            "sync",
            .choice(of: SyncMode.self),
            default: "auto",
            "When the tasks are brought up to date."
        ),
        CommonShapes.outgoing,
        Key("showClaims", .boolean, default: "false", "Whether a sign-in shows what it says of the person."),
        Key("seal", .boolean, default: "true", "Whether kept tasks are sealed."),
    ])

    private static let policyKeys: [Key] = [
        Key("signUp", .text(Rules.policy), default: "b2c_1_sign_up", "Of `tasks sign-up`."),
        Key("signIn", .text(Rules.policy), default: "b2c_1_sign_in", "Of `tasks sign-in`."),
        Key(
            "social",
            .text(Rules.policy),
            default: "b2c_1_facebook_sign_in",
            "Of `tasks sign-in --provider`."
        ),
    ]

    /// Base URL of the tasks API, without a slash at its end.
    public let api: String
    /// The client that tokens are asked for.
    public let client: String
    /// The scopes that are asked for.
    public let scopes: [String]
    /// Scopes that are asked for when the user is asked anyway.
    public let additionalScopes: [String]
    /// The policy of `tasks sign-up`.
    public let signUp: PolicyID
    /// The policy of `tasks sign-in`.
    public let signIn: PolicyID
    /// The policy of `tasks sign-in --provider`.
    public let social: PolicyID
    /// The time at which tasks are brought up to date.
    public let sync: SyncMode
    /// The ports of this machine that are reached over http, whatever listens there.
    public let trustedLoopback: Set<UInt16>
    /// True if the tasks that are kept on this machine are sealed.
    public let seals: Bool
    /// True if a sign-in prints the claims of the person.
    public let showsClaims: Bool

    /// Reads a file of the disk.
    public static func load(path: String) -> (TasksConfiguration?, [Problem]) {
        do throws(Problem) {
            return read(try YAMLDocument.parse(path: path))
        } catch {
            return (nil, [error])
        }
    }

    /// Configuration where no file is there.
    public static var standard: TasksConfiguration? { read(.empty(file: "default")).0 }

    /// Checks a file; there is a configuration exactly if no problem is an error.
    public static func read(_ node: YAMLNode) -> (TasksConfiguration?, [Problem]) {
        var problems: [Problem] = []
        let file = shape.read(node, problems: &problems)
        let configuration = TasksConfiguration(file)
        return (problems.contains { $0.severity == .error } ? nil : configuration, problems)
    }

    private init?(_ file: YAMLValue) {
        api = file["api"].text
        client = file["client"].text
        scopes = file["scopes"].items.map(\.text)
        additionalScopes = file["additionalScopes"].items.map(\.text)
        showsClaims = file["showClaims"].flag
        trustedLoopback = CommonShapes.trustedLoopback(file["outgoing"])
        seals = file["seal"].flag
        sync = file["sync"].choice(refused: .auto)
        guard let signUp = try? PolicyID(file["policies"]["signUp"].text),
            let signIn = try? PolicyID(file["policies"]["signIn"].text),
            let social = try? PolicyID(file["policies"]["social"].text)
        else { return nil }
        self.signUp = signUp
        self.signIn = signIn
        self.social = social
    }
}

/// The time at which tasks are brought up to date with the API.
public enum SyncMode: String, CaseIterable, Sendable {
    /// With every command, where the API can be reached.
    case auto
    /// By `tasks sync` alone.
    case manual
}
