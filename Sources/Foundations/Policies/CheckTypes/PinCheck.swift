import FlowModel

extension CheckType {
    /// A PIN, which a user sets for one uid on one machine.
    public static let pin = CheckType(
        name: "pin",
        noun: "a PIN",
        credential: .pin,
        maxAttempts: 3,
        attemptingStateExpiration: .seconds(120),
        blockedStateExpiration: .seconds(60),
        acr: "2",
        amr: ["pin"],
        belongsToUID: true,
        isEnrolled: true
    )
}

/// The rule for PINs and their enrolment.
public struct PINRule: Hashable, Sendable, Codable {
    /// The range of PIN lengths that a rule can allow, in characters.
    public static let lengths = 4...12

    /// The reasons for rejecting a PIN.
    public enum Refusal: Hashable, Sendable {
        case tooShort(least: Int)
        case tooLong(most: Int)
        case notDigits
    }

    /// The minimum number of characters in a new PIN.
    public let minLength: Int
    /// Whether a PIN may contain only the digits 0 to 9.
    public let digitsOnly: Bool
    /// Whether a user without a PIN may set one when prompted for it, after passing the sign-in checks again.
    public let allowsEnrolment: Bool

    /// Creates a rule that by default requires at least 4 digits and allows enrolment.
    public init(minLength: Int = 4, digitsOnly: Bool = true, allowsEnrolment: Bool = true) {
        self.minLength = minLength
        self.digitsOnly = digitsOnly
        self.allowsEnrolment = allowsEnrolment
    }

    /// Returns why a new PIN is rejected, or `nil` if it may be set.
    public func refusal(ofNew pin: String) -> Refusal? { refusal(of: pin, least: minLength) }

    /// Returns why an answer cannot be the user's PIN, or `nil` if it must be compared with the PIN.
    public func refusal(of pin: String) -> Refusal? { refusal(of: pin, least: Self.lengths.lowerBound) }

    private func refusal(of pin: String, least: Int) -> Refusal? {
        if digitsOnly, !pin.unicodeScalars.allSatisfy({ ("0"..."9").contains($0) }) { return .notDigits }
        let count = pin.unicodeScalars.count
        if count < least { return .tooShort(least: least) }
        return count > Self.lengths.upperBound ? .tooLong(most: Self.lengths.upperBound) : nil
    }
}
