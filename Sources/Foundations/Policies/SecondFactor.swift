public import FlowModel

/// A policy's rule for a second proof after the sign-in's.
public struct SecondFactor: Hashable, Sendable, Codable {
    /// The sign-ins after which it is asked.
    public enum Occasion: String, Hashable, Sendable, Codable, CaseIterable {
        /// After none.
        case never
        /// After every one.
        case always
        /// After one at a device where the person has not proved a second factor of late.
        case newDevice
    }

    /// The sign-ins after which it is asked.
    public let when: Occasion
    /// The checks of which one is enough, in the order of preference.
    public let checks: [String]

    /// A rule; by default nothing is asked.
    public init(when: Occasion = .never, checks: [String] = []) {
        self.when = when
        self.checks = checks
    }

    /// The time for which a device is remembered after a second factor was proved there.
    public static let deviceLife: Duration = .seconds(90 * 86_400)

    /// True if proofs meet the rule.
    ///
    /// - Parameters:
    ///   - proofs: The proofs.
    ///   - holds: True for the name of a check that is proved and still counts.
    /// - Returns: True if one of the checks holds, or the rule is for new devices and the device was known.
    public func isMet(by proofs: [Proof], holds: (String) -> Bool) -> Bool {
        switch when {
        case .never: true
        case .always: checks.contains(where: holds)
        case .newDevice: checks.contains(where: holds) || proofs.contains { $0.credential == .device }
        }
    }
}
