public import FlowModel
import Localization

/// The name of a policy, such as `b2c_1_sign_in`; compared without case, so it is kept in lower case.
public struct PolicyID: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// A text that names no policy.
    public struct Invalid: Error, Hashable, Sendable, CustomStringConvertible {
        /// The error for a text that names no policy.
        public init() {}

        /// A sentence that describes a policy's name.
        public var text: Text { Text("refusal.policyName", ["max": PolicyID.maximumLength]) }

        /// The sentence in English.
        public var description: String { text.english }
    }

    /// The greatest length of a name, in characters.
    public static let maximumLength = 64

    /// The name in lower case.
    public let description: String

    /// Reads a name in any case.
    public init(_ text: String) throws(Invalid) {
        let lower = text.lowercased()
        let prefix = "b2c_1_"
        guard lower.hasPrefix(prefix), lower.utf8.count > prefix.utf8.count, lower.utf8.count <= Self.maximumLength,
            lower.utf8.allSatisfy({ Self.isAllowed($0) })
        else { throw Invalid() }
        description = lower
    }

    /// Orders by name.
    public static func < (a: Self, b: Self) -> Bool { a.description < b.description }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
        default: false
        }
    }
}

extension PolicyID: Codable {
    /// Reads the name from a string.
    public init(from decoder: any Decoder) throws {
        try self.init(decoder.singleValueContainer().decode(String.self))
    }

    /// Writes the name as a string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
