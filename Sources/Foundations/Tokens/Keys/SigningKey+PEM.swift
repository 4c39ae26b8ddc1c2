import Crypto
import Foundation
public import OAuth

extension SigningKey {
    /// The longest text of a private key, in bytes.
    public static let maxPEMLength = 16_384

    /// Reads a private key in PEM: PKCS #8 (RFC 5958), SEC 1 (RFC 5915) or PKCS #1 (RFC 8017 appendix A.1.2).
    ///
    /// - Parameter pem: The text; blocks that are no private keys, such as `EC PARAMETERS`, are passed over.
    /// - Throws: `unusableKey` unless there is exactly one private key, not encrypted, of RSA with 2048 to 8192 bits or of
    ///   P-256.
    public init(pem: Secret) throws(TokenError) {
        let blocks = pem.count <= Self.maxPEMLength ? Self.blocks(pem.reveal()) : []
        guard blocks.count == 1, let (label, der) = blocks.first else {
            throw TokenError(.unusableKey, "there must be one private key in PEM (RFC 7468), not \(blocks.count)")
        }
        switch label {
        case "ENCRYPTED PRIVATE KEY":
            throw TokenError(.unusableKey, "the key is encrypted; run: openssl pkey -in FILE -out FILE.plain")
        case "RSA PRIVATE KEY": try self.init(serialized: Secret(bytes: der), alg: .rs256)
        default:
            if let key = try? P256.Signing.PrivateKey(derRepresentation: der) {
                try self.init(serialized: Secret(bytes: key.rawRepresentation), alg: .es256)
                return
            }
            do {
                try self.init(serialized: Secret(bytes: der), alg: .rs256)
            } catch {
                throw TokenError(.unusableKey, "the key must be of RSA with 2048 bits or more, or of the curve P-256")
            }
        }
    }

    /// The private keys of a text: their labels and contents (RFC 7468 §2).
    private static func blocks(_ text: String) -> [(label: String, der: Data)] {
        var blocks: [(label: String, der: Data)] = []
        var open: (label: String, base64: String)?
        for line in text.split(whereSeparator: \.isNewline).map({ $0.trimmingCharacters(in: .whitespaces) }) {
            if let label = line.wholeMatch(of: /-----BEGIN ([A-Z0-9 ]*PRIVATE KEY)-----/)?.output.1 {
                open = (String(label), "")
            } else if let block = open, line == "-----END \(block.label)-----" {
                if let der = Data(base64Encoded: block.base64) { blocks.append((block.label, der)) }
                open = nil
            } else if open != nil {
                open?.base64 += line
            }
        }
        return blocks
    }
}
