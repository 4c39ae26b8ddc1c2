public import OAuth

/// The rule for new passwords, of which only ``expiresAfter`` also applies to existing passwords.
public struct PasswordRule: Hashable, Sendable, Codable {
    /// The reasons for rejecting a password, with the limit that the password violates.
    public enum Refusal: Hashable, Sendable {
        case tooShort(Int)
        case tooLong(Int)
        case tooFewClasses(Int)
        case unmet(Validation.Fault)
    }

    /// The minimum number of characters, counted as Unicode scalars.
    public let minLength: Int
    /// The maximum number of characters, counted as Unicode scalars.
    public let maxLength: Int
    /// The minimum number of character classes out of lower case, upper case, digits and symbols.
    public let classes: Int
    /// The password age after which users must change the password at sign-in, or `nil` if passwords do not expire.
    public var expiresAfter: Duration?
    /// A validation that new passwords must also satisfy, or `nil` if there is none.
    public var validation: Validation?

    /// A rule that requires 8 to 64 characters of any kind.
    public static let simple = Self(minLength: 8, maxLength: 64, classes: 1)

    /// A rule that requires 8 to 64 characters from at least three of the four character classes.
    public static let strong = Self(minLength: 8, maxLength: 64, classes: 3)

    /// Returns why a new password is rejected, or `nil` if it is accepted.
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
