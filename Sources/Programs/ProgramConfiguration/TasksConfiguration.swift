import Foundation
public import Policies
public import StrictYAML

/// The validated content of `tasks.yaml`.
public struct TasksConfiguration: Hashable, Sendable {
    /// The schema of the whole file.
    public static let shape: Shape = .object([
        Key(
            "api",
            .text(Rules.api),
            default: "http://localhost:3000",
            "The URL of the tasks API. `apis.NAME.origins` of the daemon must list its origin."
        ),
        Key("client", .text(Rules.name), default: "tasks-cli", "The client that requests the tokens."),
        Key(
            "scopes",
            .list(.text(Rules.scope), count: 1...64),
            default: "[tasks.read, tasks.write]",
            "The scopes to request."
        ),
        Key(
            "additionalScopes",
            .list(.text(Rules.scope), count: 0...64),
            default: "[]",
            "Additional scopes to request when the user is prompted anyway."
        ),
        Key("policies", .object(policyKeys), "The policies of the commands."),
        Key(
            "sync",
            .choice(of: SyncMode.self),
            default: "auto",
            "When the tasks are synchronized: with every command, or only by `tasks sync`."
        ),
        CommonShapes.outgoing,
        Key(
            "showClaims",
            .boolean,
            default: "false",
            "Whether `tasks sign-in` and `tasks sign-up` print the claims of the ID token."
        ),
        Key("seal", .boolean, default: "true", "Whether locally stored tasks are encrypted."),
    ])

    private static let policyKeys: [Key] = [
        Key("signUp", .text(Rules.policy), default: "b2c_1_sign_up", "The policy for `tasks sign-up`."),
        Key("signIn", .text(Rules.policy), default: "b2c_1_sign_in", "The policy for `tasks sign-in`."),
        Key(
            "social",
            .text(Rules.policy),
            default: "b2c_1_facebook_sign_in",
            "The policy for `tasks sign-in --provider`."
        ),
    ]

    /// The base URL of the tasks API, without a trailing slash.
    public let api: String
    /// The client id with which tokens are requested.
    public let client: String
    /// The scopes to request.
    public let scopes: [String]
    /// Additional scopes to request if the user must be prompted anyway.
    public let additionalScopes: [String]
    /// The policy for `tasks sign-up`.
    public let signUp: PolicyID
    /// The policy for `tasks sign-in`.
    public let signIn: PolicyID
    /// The policy for `tasks sign-in --provider`.
    public let social: PolicyID
    /// When the tasks are synchronized with the API.
    public let sync: SyncMode
    /// The loopback ports that are trusted over http, regardless of which process listens on them.
    public let trustedLoopback: Set<UInt16>
    /// Whether locally stored tasks are encrypted.
    public let seals: Bool
    /// Whether signing in prints the user's claims.
    public let showsClaims: Bool

    /// Reads a file from disk, and validates its content.
    public static func load(path: String) -> (TasksConfiguration?, [Problem]) {
        do throws(Problem) {
            return read(try YAMLDocument.parse(path: path))
        } catch {
            return (nil, [error])
        }
    }

    /// The configuration that applies if no file exists, or `nil` if the defaults are invalid.
    public static var standard: TasksConfiguration? { read(.empty(file: "default")).0 }

    /// Validates the content of a file, and returns `nil` for the configuration if any problem is an error.
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

/// When the tasks are synchronized with the API.
public enum SyncMode: String, CaseIterable, Sendable {
    /// Every command synchronizes the tasks if the API can be reached.
    case auto
    /// Only `tasks sync` synchronizes the tasks.
    case manual
}
