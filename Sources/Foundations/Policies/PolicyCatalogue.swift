public import FlowModel
import Localization

/// All policies and checks of a folder.
public struct PolicyCatalogue: Hashable, Sendable {
    /// A policy that is listed but cannot be run yet.
    public struct Unavailable: Hashable, Sendable {
        /// The kind, as its file states it.
        public let kind: String
        /// The name to show.
        public let displayName: String
        /// The configuration that is missing, in a sentence.
        public let missing: Text

        /// The sentence in English.
        public var message: String { missing.english }
    }

    /// One entry in a list of policies.
    public struct Summary: Hashable, Sendable {
        /// The name.
        public let policy: PolicyID
        /// The kind, as its file states it.
        public let kind: String
        /// The name to show.
        public let displayName: String
        /// The configuration that is missing before it can be run, in a sentence; nil if it can be run.
        public let missing: Text?
    }

    /// The policies that can be run.
    public let policies: [PolicyID: Policy]
    /// The checks by name.
    public let checks: [String: Check]
    /// The policies that cannot be run, with the reason.
    public let unavailable: [PolicyID: Unavailable]
    /// The policies that outside authorities run.
    public let outside: [PolicyID: OutsidePolicy]
    /// Every check's name, each after those it must follow.
    public let order: [String]
    /// The clients that policies name.
    var namedClients: [NamedClient] = []
    /// The files that policies name beside their own, each once.
    public internal(set) var namedFiles: [NamedFile] = []

    /// A catalogue of policies and checks known to fit together; files are read by `load`.
    ///
    /// Checks missing from `order` are asked last, by name.
    public init(
        policies: [Policy],
        checks: [Check],
        order: [String] = [],
        unavailable: [PolicyID: Unavailable] = [:],
        outside: [PolicyID: OutsidePolicy] = [:]
    ) {
        let sorted = policies.sorted { $0.id < $1.id }
        self.policies = Dictionary(policies.map { ($0.id, $0.among(sorted)) }, uniquingKeysWith: { first, _ in first })
        self.checks = Dictionary(checks.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        self.unavailable = unavailable
        self.outside = outside
        self.order = order + self.checks.keys.filter { !order.contains($0) }.sorted()
    }

    /// The policy with this name.
    public subscript(id: PolicyID) -> Policy? { policies[id] }

    /// The check with this name.
    public subscript(check name: String) -> Check? { checks[name] }

    /// The first policy of a kind, by name; nil if there is none.
    public func first(_ kind: PolicyKind) -> Policy? {
        policies.values.filter { $0.kind == kind }.min { $0.id < $1.id }
    }

    /// The checks of these names, each once, in the order in which they are to be asked.
    public func ordered(_ names: some Sequence<String>) -> [Check] {
        let wanted = Set(names)
        return order.filter(wanted.contains).compactMap { checks[$0] }
    }

    /// One entry for each policy, by name.
    public var summaries: [Summary] {
        let runnable = policies.values.map {
            Summary(policy: $0.id, kind: $0.kind.rawValue, displayName: $0.displayName, missing: nil)
        }
        let others = unavailable.map {
            Summary(policy: $0, kind: $1.kind, displayName: $1.displayName, missing: $1.missing)
        }
        let elsewhere = outside.values.map {
            Summary(policy: $0.id, kind: OutsidePolicy.kind, displayName: $0.displayName, missing: nil)
        }
        return (runnable + others + elsewhere).sorted { $0.policy < $1.policy }
    }
}
