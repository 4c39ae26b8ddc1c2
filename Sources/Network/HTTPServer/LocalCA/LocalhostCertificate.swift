import Crypto
public import Foundation
public import Logging
public import Storage
import SwiftASN1
import X509

/// The certificate of localhost that a daemon makes for itself (`tls: localCA`), and the CA that signed it.
///
/// One private file has the key, the certificate and the CA, so that there are all or none; a second one has the CA alone, for
/// whoever is to trust it. The CA can sign for localhost only (RFC 5280 §4.2.1.10), and its key is forgotten as soon as it has
/// signed once: nobody can make another certificate that a browser which trusts it takes.
public struct LocalhostCertificate: Hashable, Sendable {
    /// The path of the certificate and its key, as PEM.
    public let file: String
    /// The path of the CA, as PEM.
    public let authority: String
    /// The name of the CA, other than that of any other one.
    public let name: String
    /// True if both were made now: whoever trusted an earlier CA has to trust this one.
    public let isNew: Bool

    /// Days that a certificate is good for, the most that browsers take of a CA that somebody added.
    static let days = 825.0
    /// Days before its end from which a new one is made.
    static let margin = 30.0
    /// Names of the files in the state directory.
    static let names = (pair: "localhost.pem", authority: "local-ca.pem")

    /// The certificate in a state directory; it is made if there is none, or if its end is near.
    ///
    /// - Parameters:
    ///   - directory: The daemon's, which one daemon has at a time.
    ///   - now: The time.
    /// - Throws: `StoreError`, `unreadable` for a file that is no certificate made here.
    public init(in directory: StateDirectory, now: Date) throws(StoreError) {
        file = directory.path(Self.names.pair)
        authority = directory.path(Self.names.authority)
        if let kept = try directory.readPrivateFile(Self.names.pair, limit: 16384) {
            let root = try Self.root(kept, file)
            if root.notValidAfter > now.addingTimeInterval(Self.margin * 86400) {
                name = root.subject.commonName
                isNew = false
                try Self.publish(root, in: directory)
                return
            }
            try directory.removePrivateFile(Self.names.pair)
        }
        let made: Made
        do {
            made = try Made(now: now)
        } catch {
            throw StoreError(.failed, "cannot make a certificate for localhost: \(error)")
        }
        try directory.makePrivateFile(Self.names.pair, Array(made.pem.utf8))
        name = made.root.subject.commonName
        isNew = true
        try Self.publish(made.root, in: directory)
    }

    /// Says where the CA is, and how a browser is made to trust one that is new.
    public func log(to logger: Logger) {
        var metadata: Logger.Metadata = ["ca": "\(authority)"]
        if isNew { metadata["trust"] = "certutil -d sql:$HOME/.pki/nssdb -A -t C,, -n '\(name)' -i \(authority)" }
        logger.notice(
            isNew
                ? "a certificate for localhost was made; browsers have to trust its CA"
                : "the certificate for localhost is the daemon's own",
            metadata: metadata
        )
    }

    /// Puts the CA where people find it, if another one or none is there.
    private static func publish(_ root: Certificate, in directory: StateDirectory) throws(StoreError) {
        let text = Array((try? root.serializeAsPEM().pemString + "\n")?.utf8 ?? "".utf8)
        if try directory.readPrivateFile(names.authority, limit: 16384).map(Array.init) == text { return }
        try directory.removePrivateFile(names.authority)
        try directory.makePrivateFile(names.authority, text)
    }

    /// The CA of a file: the last certificate.
    private static func root(_ pem: Data, _ path: String) throws(StoreError) -> Certificate {
        let found = try? PEMDocument.parseMultiple(pemString: String(decoding: pem, as: UTF8.self))
        guard let last = found?.last, let root = try? Certificate(pemDocument: last), !root.subject.commonName.isEmpty
        else {
            throw StoreError(.unreadable, "\(path) is no certificate that this program made; move it away")
        }
        return root
    }
}

/// A new certificate with its key, and the CA.
private struct Made {
    let root: Certificate
    let pem: String

    init(now: Date) throws {
        let authority = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let mark = SymmetricKey(size: .bits128).withUnsafeBytes {
            $0.prefix(4).map { String(format: "%02x", $0) }.joined()
        }
        let issuer = try DistinguishedName { CommonName("Tokenbroker local CA \(mark)") }
        // A clock that is a little behind must not find it too young.
        let (begin, end) = (now.addingTimeInterval(-3600), now.addingTimeInterval(LocalhostCertificate.days * 86400))
        let addresses: [[UInt8]] = [[127, 0, 0, 1], [UInt8](repeating: 0, count: 15) + [1]]
        root = try Certificate(
            version: .v3,
            serialNumber: .init(),
            publicKey: authority.publicKey,
            notValidBefore: begin,
            notValidAfter: end,
            issuer: issuer,
            subject: issuer,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true))
                Critical(
                    NameConstraints(
                        permittedDNSDomains: ["localhost"],
                        permittedIPRanges: [
                            ASN1OctetString(contentBytes: [127, 0, 0, 0, 255, 0, 0, 0]),
                            ASN1OctetString(contentBytes: addresses[1][...] + [UInt8](repeating: 255, count: 16)),
                        ]
                    )
                )
                SubjectKeyIdentifier(hash: authority.publicKey)
            },
            issuerPrivateKey: authority
        )
        let certificate = try Certificate(
            version: .v3,
            serialNumber: .init(),
            publicKey: key.publicKey,
            notValidBefore: begin,
            notValidAfter: end,
            issuer: issuer,
            subject: try DistinguishedName { CommonName("localhost") },
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames(
                    [.dnsName("localhost")] + addresses.map { .ipAddress(ASN1OctetString(contentBytes: $0[...])) }
                )
                AuthorityKeyIdentifier(keyIdentifier: SubjectKeyIdentifier(hash: authority.publicKey).keyIdentifier)
                SubjectKeyIdentifier(hash: key.publicKey)
            },
            issuerPrivateKey: authority
        )
        let parts = [try key.serializeAsPEM(), try certificate.serializeAsPEM(), try root.serializeAsPEM()]
        pem = parts.map { $0.pemString + "\n" }.joined()
    }
}

extension DistinguishedName {
    /// The common name, or nothing.
    fileprivate var commonName: String {
        for relative in self {
            for attribute in relative where attribute.type == .RDNAttributeType.commonName {
                return String(describing: attribute.value)
            }
        }
        return ""
    }
}
