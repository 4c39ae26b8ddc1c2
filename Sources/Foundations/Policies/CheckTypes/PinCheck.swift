import FlowModel

extension CheckType {
    /// A PIN, which a person has for one uid of one machine.
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

/// The rule for PINs, and for setting one.
public struct PINRule: Hashable, Sendable, Codable {
    /// The lengths that a PIN may have under any rule, in characters.
    public static let lengths = 4...12

    /// The reasons against a PIN.
    public enum Refusal: Hashable, Sendable {
        /// It has too few characters.
        case tooShort(least: Int)
        /// It has too many characters.
        case tooLong(most: Int)
        /// It has something else than digits.
        case notDigits
    }

    /// The least number of characters of a new PIN.
    public let minLength: Int
    /// True if a PIN consists of the digits 0 to 9.
    public let digitsOnly: Bool
    /// True if a person without a PIN may set one where it is asked for, once the sign-in's checks are proved again.
    public let allowsEnrolment: Bool

    /// A rule; parameters left out have the defaults.
    public init(minLength: Int = 4, digitsOnly: Bool = true, allowsEnrolment: Bool = true) {
        self.minLength = minLength
        self.digitsOnly = digitsOnly
        self.allowsEnrolment = allowsEnrolment
    }

    /// The reason against a new PIN; nil if it may be set.
    public func refusal(ofNew pin: String) -> Refusal? { refusal(of: pin, least: minLength) }

    /// The reason for which an answer cannot be a PIN that was ever set, so that it need not be compared.
    public func refusal(of pin: String) -> Refusal? { refusal(of: pin, least: Self.lengths.lowerBound) }

    private func refusal(of pin: String, least: Int) -> Refusal? {
        if digitsOnly, !pin.unicodeScalars.allSatisfy({ ("0"..."9").contains($0) }) { return .notDigits }
        let count = pin.unicodeScalars.count
        if count < least { return .tooShort(least: least) }
        return count > Self.lengths.upperBound ? .tooLong(most: Self.lengths.upperBound) : nil
    }
}
