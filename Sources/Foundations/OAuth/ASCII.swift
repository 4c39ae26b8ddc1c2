extension UInt8 {
    var isAlphanumeric: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }

    /// Whether the byte is an unreserved character (RFC 3986 §2.3).
    public var isUnreserved: Bool { isAlphanumeric || "-._~".utf8.contains(self) }

    /// The value of a hexadecimal digit in either case, or `nil` for any other byte.
    public var hexadecimalValue: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46: self - 0x37
        case 0x61...0x66: self - 0x57
        default: nil
        }
    }
}
