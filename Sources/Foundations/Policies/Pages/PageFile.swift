import Crypto
import Files
public import Foundation

/// An operator's image or style sheet, which is stored in the folder of the policy that refers to it.
public struct PageFile: Hashable, Sendable, Codable {
    /// The supported file types.
    public enum Kind: String, CaseIterable, Hashable, Sendable, Codable {
        case png
        case jpg
        case webp
        case svg
        case css

        /// The media type with which the file is served.
        public var mediaType: String {
            switch self {
            case .png: "image/png"
            case .jpg: "image/jpeg"
            case .webp: "image/webp"
            case .svg: "image/svg+xml"
            case .css: "text/css; charset=utf-8"
            }
        }

        fileprivate func matches(_ bytes: Data) -> Bool {
            switch self {
            case .png: bytes.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
            case .jpg: bytes.starts(with: [0xff, 0xd8, 0xff])
            case .webp: bytes.starts(with: Array("RIFF".utf8)) && bytes.dropFirst(8).starts(with: Array("WEBP".utf8))
            case .svg, .css: String(data: bytes, encoding: .utf8) != nil
            }
        }
    }

    /// The reasons for rejecting a file.
    public enum Refusal: Error, Hashable, CustomStringConvertible {
        /// The name contains a folder or has an unsupported extension.
        case name
        /// The file is missing or unreadable.
        case missing
        /// The file is larger than this number of bytes.
        case tooBig(Int)
        case otherKind
        /// The file contains active content or a reference to another server.
        case unsafe(String)

        /// The reason, as shown to operators after the file name, such as `is larger than 512 kB`.
        public var description: String {
            switch self {
            case .name: "must be the name of a .png, .jpg, .webp, .svg or .css file beside the policy"
            case .missing: "is a file that cannot be read"
            case .tooBig(let bytes): "is larger than \(bytes / 1000) kB"
            case .otherKind: "does not have the content that its file extension requires"
            case .unsafe(let what): "contains `\(what)`, which pages must not contain"
            }
        }
    }

    static let mostBytes = 512_000

    /// The file type, determined by the file name extension.
    public let kind: Kind
    /// The content of the file, at most 512,000 bytes.
    public let bytes: Data
    /// The first 12 hexadecimal digits of the content's SHA-256 hash, which become part of the file's URL.
    public let digest: String

    /// Creates a page file, or throws an error if the content is too large, unsafe or not what the extension requires.
    public init(name: String, bytes: Data) throws(Refusal) {
        let ending = name.split(separator: ".").last.map { $0.lowercased() } ?? ""
        guard let kind = Kind(rawValue: ending == "jpeg" ? "jpg" : ending) else { throw .name }
        guard bytes.count <= Self.mostBytes else { throw .tooBig(Self.mostBytes) }
        guard kind.matches(bytes) else { throw .otherKind }
        let text = String(decoding: bytes, as: UTF8.self)
        let unsafe: String? =
            switch kind {
            case .svg: UnsafeMarkup.found(in: text)
            // A style sheet must not refer to files, because the URL of a file changes with its content.
            case .css: UnsafeMarkup.found(in: text, words: ["url("])
            case .png, .jpg, .webp: nil
            }
        if let unsafe { throw .unsafe(unsafe) }
        self.kind = kind
        self.bytes = bytes
        digest = Self.digest(of: bytes)
    }

    /// Returns the first 12 hexadecimal digits of the content's SHA-256 hash.
    public static func digest(of bytes: Data) -> String {
        SHA256.hash(data: bytes).prefix(6).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    /// Reads a file from a folder.
    public init(name: String, in folder: String) throws(Refusal) {
        guard !name.contains("/"), !name.hasPrefix(".") else { throw .name }
        let path = folder.isEmpty ? name : "\(folder)/\(name)"
        guard let bytes = Self.contents(of: path, upTo: Self.mostBytes + 1) else { throw .missing }
        try self.init(name: name, bytes: bytes)
    }

    /// Reads at most `count` bytes of a regular file, or returns `nil` if this is impossible.
    ///
    /// Files of other kinds are rejected, because reading from a pipe, for example, could block.
    static func contents(of path: String, upTo count: Int) -> Data? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard (try? FileStatus(descriptor: descriptor).kind) == .file else { return nil }
        do {
            return try file.read(upToCount: count) ?? Data()
        } catch {
            return nil
        }
    }
}
