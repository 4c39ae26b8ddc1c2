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
        /// The PIN has too few characters.
        case tooShort(least: Int)
        /// The PIN has too many characters.
        case tooLong(most: Int)
        /// The PIN contains characters other than digits.
        case notDigits
    }

    /// The minimum number of characters of a new PIN.
    public let minLength: Int
    /// Whether a PIN may contain only the digits 0 to 9.
    public let digitsOnly: Bool
    /// Whether a user without a PIN may set one when prompted for a PIN, after passing the sign-in checks again.
    public let allowsEnrolment: Bool

    /// Creates a rule.
    ///
    /// By default a PIN has at least 4 digits and may be enrolled.
    public init(minLength: Int = 4, digitsOnly: Bool = true, allowsEnrolment: Bool = true) {
        self.minLength = minLength
        self.digitsOnly = digitsOnly
        self.allowsEnrolment = allowsEnrolment
    }

    /// Returns the reason for rejecting a new PIN, or `nil` if it may be set.
    public func refusal(ofNew pin: String) -> Refusal? { refusal(of: pin, least: minLength) }

    /// Returns the reason why an answer cannot be an existing PIN, or `nil` if the answer must be compared with the
    /// PIN.
    public func refusal(of pin: String) -> Refusal? { refusal(of: pin, least: Self.lengths.lowerBound) }

    private func refusal(of pin: String, least: Int) -> Refusal? {
        if digitsOnly, !pin.unicodeScalars.allSatisfy({ ("0"..."9").contains($0) }) { return .notDigits }
        let count = pin.unicodeScalars.count
        if count < least { return .tooShort(least: least) }
        return count > Self.lengths.upperBound ? .tooLong(most: Self.lengths.upperBound) : nil
    }
}
