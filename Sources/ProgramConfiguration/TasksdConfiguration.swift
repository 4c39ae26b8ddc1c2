import Foundation
public import Policies
public import StrictYAML
public import Tables

/// `tasksd.yaml`, checked.
public struct TasksdConfiguration: Hashable, Sendable {
    /// An authority whose tokens are good.
    public struct Trust: Hashable, Sendable {
        /// Where its keys are fetched.
        public enum Source: Hashable, Sendable {
            /// A Unix socket of this machine.
            case socket(path: String)
            /// A URL, without a slash at its end.
            case url(String)
        }

        /// Where its keys are fetched.
        public let source: Source
        /// Where its issuers begin, without a slash at its end.
        public let base: String
        /// Its tenant.
        public let tenant: String
        /// The policies whose tokens are good; nothing is all.
        public let policies: Set<PolicyID>?
        /// The `aud` of which a token must have one.
        public let audiences: [String]
        /// Whether a token must have the scope of what it is used for.
        public let requiresScopes: Bool
    }

    /// The HTTP server, the log and the measurements.
    public let server: ServerSettings
    /// The authorities whose tokens are good.
    public let trust: [Trust]
    /// The paths that ask for one more scope.
    public let protect: [String: String]
    /// The tables, in the file's order.
    public let tables: [TableDefinition]

    /// Reads a file of the disk; relative paths are from its folder.
    public static func load(path: String, authoritySocket: String) -> (TasksdConfiguration?, [Problem]) {
        do throws(Problem) {
            let node = try YAMLDocument.parse(path: path)
            let folder = (path as NSString).deletingLastPathComponent
            return read(node, folder: folder, authoritySocket: authoritySocket)
        } catch {
            return (nil, [error])
        }
    }

    /// Checks a file; there is a configuration exactly if no problem is an error.
    ///
    /// A file without `trust` trusts the authority of this machine by `authoritySocket`.
    public static func read(
        _ node: YAMLNode,
        folder: String,
        authoritySocket: String
    ) -> (TasksdConfiguration?, [Problem]) {
        var problems: [Problem] = []
        let file = TasksdShape.file.read(node, problems: &problems)
        let configuration = TasksdConfiguration(file, folder, authoritySocket, problems: &problems)
        problems.sort { ($0.file, $0.line) < ($1.file, $1.line) }
        return (problems.contains { $0.severity == .error } ? nil : configuration, problems)
    }

    private init(_ file: YAMLValue, _ folder: String, _ authoritySocket: String, problems: inout [Problem]) {
        server = ServerSettings(file, folder: folder, problems: &problems)
        let isGiven = file["trust"].isGiven
        trust = file["trust"].items.map { Trust($0, source: isGiven ? nil : .socket(path: authoritySocket)) }
        protect = Dictionary(
            file["protect"].members.map { ($0.name, $0.value.text) },
            uniquingKeysWith: { first, _ in first }
        )
        var tables: [TableDefinition] = []
        for (name, value) in file["tables"].members {
            if let other = tables.first(where: { $0.name.lowercased() == name.lowercased() }) {
                problems.append(
                    value.problem("`tables.\(name)` is the same table as `tables.\(other.name)`: names have no case")
                )
            }
            var reader = TableReader()
            if let table = reader.read(name, value) { tables.append(table) }
            problems += reader.problems
        }
        self.tables = tables
        var issuers: Set<String> = []
        for (value, trust) in zip(file["trust"].items, trust)
        where !issuers.insert("\(trust.base)/\(trust.tenant)").inserted {
            problems.append(value.problem("`trust` has \(trust.base)/\(trust.tenant) twice"))
        }
    }
}

extension TasksdConfiguration.Trust {
    fileprivate init(_ value: YAMLValue, source: Source?) {
        let authority = value["authority"].text
        self.source =
            source ?? (authority.hasPrefix("unix:") ? .socket(path: String(authority.dropFirst(5))) : .url(authority))
        base = value["base"].text
        tenant = value["tenant"].text
        policies =
            value["policies"].optionalText == "all"
            ? nil : Set(value["policies"].items.compactMap { try? PolicyID($0.text) })
        audiences = value["audiences"].items.map(\.text)
        requiresScopes = value["scopes"].text != "ignored"
    }
}
