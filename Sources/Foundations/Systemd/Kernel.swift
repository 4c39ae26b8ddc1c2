import CLinux
import Foundation
import Glibc

/// Reads files in `/proc`, which do not report their size and must therefore be read in pieces.
public enum KernelFile {
    private static let longest = 16 << 20

    /// Returns the text of a file up to 16 MiB, or `nil` if the file cannot be opened.
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

/// The state of the system clock.
public enum SystemClock {
    /// Whether the kernel reports that the clock is synchronized.
    public static var isKept: Bool { clinux_clock_is_kept() != 0 }
}

/// A failed system call.
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the call, for example `getsockopt`.
    public let call: String
    /// The error number (`errno`).
    public let code: Int32

    /// Creates an error from the name of the call and its error number.
    public init(_ call: String, _ code: Int32) {
        self.call = call
        self.code = code
    }

    /// The name of the call, followed by the description of the error number.
    public var description: String {
        var text = [CChar](repeating: 0, count: 128)
        guard strerror_r(code, &text, text.count) == 0 else { return "\(call): error \(code)" }
        return "\(call): " + String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
