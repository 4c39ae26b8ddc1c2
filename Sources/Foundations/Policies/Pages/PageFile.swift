import Crypto
import Files
public import Foundation

/// A picture or a style sheet of an operator, read from beside the policy that names it.
public struct PageFile: Hashable, Sendable, Codable {
    /// The kinds of files that pages may show.
    public enum Kind: String, CaseIterable, Hashable, Sendable, Codable {
        case png
        case jpg
        case webp
        case svg
        case css

        /// The media type to answer it with.
        public var mediaType: String {
            switch self {
            case .png: "image/png"
            case .jpg: "image/jpeg"
            case .webp: "image/webp"
            case .svg: "image/svg+xml"
            case .css: "text/css; charset=utf-8"
            }
        }

        /// True if a file of it begins like this.
        fileprivate func matches(_ bytes: Data) -> Bool {
            switch self {
            case .png: bytes.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
            case .jpg: bytes.starts(with: [0xff, 0xd8, 0xff])
            case .webp: bytes.starts(with: Array("RIFF".utf8)) && bytes.dropFirst(8).starts(with: Array("WEBP".utf8))
            case .svg, .css: String(data: bytes, encoding: .utf8) != nil
            }
        }
    }

    /// The reasons for not taking a file.
    public enum Refusal: Error, Hashable, CustomStringConvertible {
        /// The name has a folder, or an ending of no kind.
        case name
        /// The file is missing, or cannot be read.
        case missing
        /// It has more bytes than this.
        case tooBig(Int)
        /// Its content is of another kind than its name says.
        case otherKind
        /// It has something that runs, or that fetches from elsewhere.
        case unsafe(String)

        /// A sentence for the operator, without a full stop.
        public var description: String {
            switch self {
            case .name: "must be the name of a .png, .jpg, .webp, .svg or .css file beside the policy"
            case .missing: "names a file that cannot be read"
            case .tooBig(let bytes): "is larger than \(bytes / 1000) kB"
            case .otherKind: "has another content than its name says"
            case .unsafe(let what): "has `\(what)`, which pages may not have"
            }
        }
    }

    /// The most bytes of one file.
    static let mostBytes = 512_000

    /// The kind.
    public let kind: Kind
    /// The content.
    public let bytes: Data
    /// The first 12 hexadecimal digits of its SHA-256, which are a part of its name for browsers.
    public let digest: String

    /// Takes a file's content as it is.
    ///
    /// - Parameters:
    ///   - name: The file's name, whose ending says its kind.
    ///   - bytes: The content.
    /// - Throws: The reason for which pages cannot show it.
    public init(name: String, bytes: Data) throws(Refusal) {
        let ending = name.split(separator: ".").last.map { $0.lowercased() } ?? ""
        guard let kind = Kind(rawValue: ending == "jpeg" ? "jpg" : ending) else { throw .name }
        guard bytes.count <= Self.mostBytes else { throw .tooBig(Self.mostBytes) }
        guard kind.matches(bytes) else { throw .otherKind }
        let text = String(decoding: bytes, as: UTF8.self)
        let unsafe: String? =
            switch kind {
            case .svg: UnsafeMarkup.found(in: text)
            // Files that a sheet fetches would need a name that changes with its content.
            case .css: UnsafeMarkup.found(in: text, words: ["url("])
            case .png, .jpg, .webp: nil
            }
        if let unsafe { throw .unsafe(unsafe) }
        self.kind = kind
        self.bytes = bytes
        digest = Self.digest(of: bytes)
    }

    /// The first 12 hexadecimal digits of a content's SHA-256.
    public static func digest(of bytes: Data) -> String {
        SHA256.hash(data: bytes).prefix(6).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    /// Reads a file from a folder.
    ///
    /// - Throws: The reason for which pages cannot show it.
    public init(name: String, in folder: String) throws(Refusal) {
        guard !name.contains("/"), !name.hasPrefix(".") else { throw .name }
        let path = folder.isEmpty ? name : "\(folder)/\(name)"
        guard let bytes = Self.contents(of: path, upTo: Self.mostBytes + 1) else { throw .missing }
        try self.init(name: name, bytes: bytes)
    }

    /// The beginning of a regular file; nil if there is none, or it cannot be read.
    ///
    /// A named pipe is no such file: it would keep whoever opens it waiting for a writer.
    static func contents(of path: String, upTo count: Int) -> Data? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard (try? FileStatus(descriptor: descriptor).kind) == .file else { return nil }
        return (try? file.read(upToCount: count)) ?? Data()
    }
}
