import Glibc

/// A system call that failed.
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Name of the call, for example `getsockopt`.
    public let call: String
    /// Error number of the kernel (`errno`).
    public let code: Int32

    /// The failure `code` of `call`.
    public init(_ call: String, _ code: Int32) {
        self.call = call
        self.code = code
    }

    /// The call and the kernel's reason in words.
    public var description: String {
        var text = [CChar](repeating: 0, count: 128)
        guard strerror_r(code, &text, text.count) == 0 else { return "\(call): error \(code)" }
        return "\(call): " + String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
