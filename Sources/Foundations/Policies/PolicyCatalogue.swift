public import FlowModel
import Localization

/// The policies and checks that the files in a policy folder define.
public struct PolicyCatalogue: Hashable, Sendable {
    /// A policy that is listed but cannot be run.
    public struct Unavailable: Hashable, Sendable {
        /// The kind, as written in the policy file, or ``OutsidePolicy/kind``.
        public let kind: String
        /// The name that users see.
        public let displayName: String
        /// A sentence that says which configuration is missing.
        public let missing: Text

        /// The English text of ``missing``.
        public var message: String { missing.english }
    }

    /// The description of a policy in a list.
    public struct Summary: Hashable, Sendable {
        /// The policy id, in lower case.
        public let policy: PolicyID
        /// The kind, as written in the policy file, or ``OutsidePolicy/kind``.
        public let kind: String
        /// The name that users see.
        public let displayName: String
        /// A sentence that says which configuration is missing, or `nil` if the policy can be run.
        public let missing: Text?
    }

    /// The policies that can be run.
    public let policies: [PolicyID: Policy]
    /// The checks by name.
    public let checks: [String: Check]
    /// The policies that cannot be run, each with the reason.
    public let unavailable: [PolicyID: Unavailable]
    /// The policies that external authorities run.
    public let outside: [PolicyID: OutsidePolicy]
    /// The names of all checks, each after the checks that it must follow.
    public let order: [String]
    var namedClients: [NamedClient] = []
    /// The files that policies refer to, without duplicates.
    public internal(set) var namedFiles: [NamedFile] = []

    /// Creates a catalogue of consistent policies and checks; checks that `order` omits come last, sorted by name.
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

    /// Returns the policy with this id, or `nil` if there is none that can be run.
    public subscript(id: PolicyID) -> Policy? { policies[id] }

    /// Returns the check with this name, or `nil` if no check has this name.
    public subscript(check name: String) -> Check? { checks[name] }

    /// Returns the policy of the given kind whose name sorts first, or `nil` if there is no policy of that kind.
    public func first(_ kind: PolicyKind) -> Policy? {
        policies.values.filter { $0.kind == kind }.min { $0.id < $1.id }
    }

    /// Returns the checks with these names, without duplicates, in the order in which their steps run.
    public func ordered(_ names: some Sequence<String>) -> [Check] {
        let wanted = Set(names)
        return order.filter(wanted.contains).compactMap { checks[$0] }
    }

    /// A summary of each policy, sorted by policy name.
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
