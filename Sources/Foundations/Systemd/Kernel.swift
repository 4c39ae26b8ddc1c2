import CLinux
import Foundation
import Glibc

/// A file of `/proc`, which reports no length and comes in pieces.
public enum KernelFile {
    /// The most bytes that are read.
    private static let longest = 16 << 20

    /// Reads a file to its end; nil if it cannot be opened.
    public static func text(_ path: String) -> String? {
        guard let file = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? file.close() }
        var bytes = Data()
        while bytes.count < longest, let piece = try? file.read(upToCount: 64 << 10), !piece.isEmpty {
            bytes.append(piece)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The machine's clock.
public enum SystemClock {
    /// True if something keeps the clock right, as far as the kernel was told.
    public static var isKept: Bool { clinux_clock_is_kept() != 0 }
}

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
