import Foundation

/// A UUID that links a response to the log lines and audit events of the same request.
public struct CorrelationID: Hashable, Sendable, CustomStringConvertible {
    private let value: UUID

    /// Parses a UUID in upper or lower case, or returns `nil` for any other string.
    public init?(_ text: String) {
        guard text.utf8.count == 36, let value = UUID(uuidString: text) else { return nil }
        self.value = value
    }

    /// Creates a random id.
    public init() {
        // Do not use UUID(), which opens a file on every call.
        var system = SystemRandomNumberGenerator()
        let random = (system.next(), system.next())
        var bytes = withUnsafeBytes(of: random) { $0.loadUnaligned(as: uuid_t.self) }
        // Set the version (4) and variant bits (RFC 9562 §5.4).
        bytes.6 = bytes.6 & 0x0F | 0x40
        bytes.8 = bytes.8 & 0x3F | 0x80
        value = UUID(uuid: bytes)
    }

    /// Returns a random id.
    public static func random() -> CorrelationID { CorrelationID() }

    /// The UUID in lower case.
    public var description: String { value.uuidString.lowercased() }
}

/// A fast generator (xoshiro256**) of predictable ids, which suffice because correlation ids are not secret.
public struct FastCorrelationIDs: Sendable {
    private var state: (UInt64, UInt64, UInt64, UInt64)

    /// Creates a generator that is seeded by the system's random number generator.
    public init() {
        var system = SystemRandomNumberGenerator()
        state = (system.next(), system.next(), system.next(), system.next() | 1)
    }

    /// Appends a new version 4 UUID as 36 bytes of lower-case text (RFC 9562 §5.4).
    public mutating func append(to bytes: inout [UInt8]) {
        let high = next() & ~0xF000 | 0x4000
        let low = next() & ~(0xC000 << 48) | (0x8000 << 48)
        Self.append(high, 8, from: 60, to: &bytes)
        bytes.append(UInt8(ascii: "-"))
        Self.append(high, 4, from: 28, to: &bytes)
        bytes.append(UInt8(ascii: "-"))
        Self.append(high, 4, from: 12, to: &bytes)
        bytes.append(UInt8(ascii: "-"))
        Self.append(low, 4, from: 60, to: &bytes)
        bytes.append(UInt8(ascii: "-"))
        Self.append(low, 12, from: 44, to: &bytes)
    }

    private static func append(_ value: UInt64, _ digits: Int, from shift: Int, to bytes: inout [UInt8]) {
        for digit in 0..<digits {
            let nibble = UInt8(truncatingIfNeeded: value >> UInt64(shift - digit * 4)) & 15
            bytes.append(nibble < 10 ? nibble + UInt8(ascii: "0") : nibble - 10 + UInt8(ascii: "a"))
        }
    }

    private mutating func next() -> UInt64 {
        let product = state.1 &* 5
        let result = (product << 7 | product >> 57) &* 9
        let shifted = state.1 << 17
        state.2 ^= state.0
        state.3 ^= state.1
        state.1 ^= state.2
        state.0 ^= state.3
        state.2 ^= shifted
        state.3 = state.3 << 45 | state.3 >> 19
        return result
    }
}
