public import FlowModel

/// A policy's rule for a second factor after sign-in.
public struct SecondFactor: Hashable, Sendable, Codable {
    /// The sign-ins that require a second factor.
    public enum Occasion: String, Hashable, Sendable, Codable, CaseIterable {
        case never
        case always
        /// A sign-in on a device where the user has not recently passed a second-factor check.
        case newDevice
    }

    /// The sign-ins that require a second factor.
    public let when: Occasion
    /// The accepted checks, in order of preference, one of which is sufficient.
    public let checks: [String]

    /// Creates a rule that by default requires no second factor.
    public init(when: Occasion = .never, checks: [String] = []) {
        self.when = when
        self.checks = checks
    }

    /// How long a device is remembered after the user has passed a second-factor check.
    public static let deviceLife: Duration = .seconds(90 * 86_400)

    /// Whether the passed checks satisfy the rule.
    ///
    /// If only new devices require a second factor, a remembered device is sufficient without a check.
    /// `holds` returns whether the check with the given name was passed and is still valid.
    public func isMet(by proofs: [Proof], holds: (String) -> Bool) -> Bool {
        switch when {
        case .never: true
        case .always: checks.contains(where: holds)
        case .newDevice: checks.contains(where: holds) || proofs.contains { $0.credential == .device }
        }
    }
}
