public import FlowModel

/// A policy's rule for a second factor after the sign-in.
public struct SecondFactor: Hashable, Sendable, Codable {
    /// The sign-ins that require a second factor.
    public enum Occasion: String, Hashable, Sendable, Codable, CaseIterable {
        /// No sign-in.
        case never
        /// Every sign-in.
        case always
        /// A sign-in on a device where the user has not recently passed a second factor.
        case newDevice
    }

    /// The sign-ins that require a second factor.
    public let when: Occasion
    /// The accepted checks, in order of preference.
    ///
    /// One of them is sufficient.
    public let checks: [String]

    /// Creates a rule.
    ///
    /// By default no second factor is required.
    public init(when: Occasion = .never, checks: [String] = []) {
        self.when = when
        self.checks = checks
    }

    /// How long a device is remembered after a second factor.
    public static let deviceLife: Duration = .seconds(90 * 86_400)

    /// Whether passed checks satisfy the rule.
    ///
    /// - Parameters:
    ///   - proofs: The passed checks.
    ///   - holds: Whether the check with this name was passed and is still valid.
    /// - Returns: `true` if one of the checks is valid, or if the rule is for new devices and the device is remembered.
    public func isMet(by proofs: [Proof], holds: (String) -> Bool) -> Bool {
        switch when {
        case .never: true
        case .always: checks.contains(where: holds)
        case .newDevice: checks.contains(where: holds) || proofs.contains { $0.credential == .device }
        }
    }
}
