public import OAuth

/// The rule for new passwords; enforced when one is set, never at sign-in.
public struct PasswordRule: Hashable, Sendable, Codable {
    /// The reasons for refusing a password.
    public enum Refusal: Hashable, Sendable {
        /// It has fewer characters than this.
        case tooShort(Int)
        /// It has more characters than this.
        case tooLong(Int)
        /// It has characters of fewer classes than this.
        case tooFewClasses(Int)
        /// It does not meet the validation.
        case unmet(Validation.Fault)
    }

    /// The least number of characters, counted as Unicode scalars.
    public let minLength: Int
    /// The greatest number of characters, counted as Unicode scalars.
    public let maxLength: Int
    /// The number of classes it must have, of lower-case letters, upper-case letters, digits and symbols.
    public let classes: Int
    /// The age at which a password must be changed at a sign-in with it; nil for none.
    public var expiresAfter: Duration?
    /// The predicates that it must meet beside.
    public var validation: Validation?

    /// 8 to 64 characters of any kind.
    public static let simple = Self(minLength: 8, maxLength: 64, classes: 1)

    /// 8 to 64 characters with three of the four classes.
    public static let strong = Self(minLength: 8, maxLength: 64, classes: 3)

    /// The reason for refusing a password; nil if it is accepted.
    ///
    /// - Parameters:
    ///   - password: The new password.
    ///   - today: The day on which it is set.
    /// - Returns: The reason.
    public func refusal(of password: Secret, on today: CalendarDay) -> Refusal? {
        let text = password.reveal()
        let scalars = text.unicodeScalars
        if scalars.count < minLength { return .tooShort(minLength) }
        if scalars.count > maxLength { return .tooLong(maxLength) }
        if Set(scalars.map(CharacterClass.init)).count < classes { return .tooFewClasses(classes) }
        return validation?.fault(of: text, on: today).map(Refusal.unmet)
    }

    private enum CharacterClass {
        case lower
        case upper
        case digit
        case symbol

        init(_ scalar: Unicode.Scalar) {
            if scalar.properties.isLowercase {
                self = .lower
            } else if scalar.properties.isUppercase {
                self = .upper
            } else if scalar.properties.numericType == .decimal {
                self = .digit
            } else {
                self = .symbol
            }
        }
    }
}
