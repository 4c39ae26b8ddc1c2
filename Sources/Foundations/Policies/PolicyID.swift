public import FlowModel
import Localization

/// The case-insensitive name of a policy, such as `b2c_1_sign_in`, stored in lower case.
public struct PolicyID: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The error for a string that is not a policy name.
    public struct Invalid: Error, Hashable, Sendable, CustomStringConvertible {
        /// Creates the error.
        public init() {}

        /// The sentence that describes valid policy names.
        public var text: Text { Text("refusal.policyName", ["max": PolicyID.maximumLength]) }

        /// The English sentence that describes valid policy names.
        public var description: String { text.english }
    }

    /// The maximum length of a name, in characters.
    public static let maximumLength = 64

    /// The name in lower case.
    public let description: String

    /// Parses a name, ignoring case.
    public init(_ text: String) throws(Invalid) {
        let lower = text.lowercased()
        let prefix = "b2c_1_"
        guard lower.hasPrefix(prefix), lower.utf8.count > prefix.utf8.count, lower.utf8.count <= Self.maximumLength,
            lower.utf8.allSatisfy({ Self.isAllowed($0) })
        else { throw Invalid() }
        description = lower
    }

    /// Whether the name `a` sorts before the name `b`.
    public static func < (a: Self, b: Self) -> Bool { a.description < b.description }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
        default: false
        }
    }
}

extension PolicyID: Codable {
    /// Decodes a policy id from its name.
    public init(from decoder: any Decoder) throws {
        try self.init(decoder.singleValueContainer().decode(String.self))
    }

    /// Encodes the policy id as its name.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
