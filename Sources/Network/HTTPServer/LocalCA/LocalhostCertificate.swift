import Crypto
public import Foundation
public import Logging
public import Storage
import SwiftASN1
import X509

/// The certificate for localhost that a daemon creates for itself (`tls: localCA`), and the CA that signed it.
///
/// One private file contains the key and both certificates, and a second file only the CA certificate. The CA can sign
/// for no host name other than localhost (RFC 5280 §4.2.1.10), and its key is discarded after it has signed this
/// certificate.
public struct LocalhostCertificate: Hashable, Sendable {
    /// The path of the PEM file that contains the key, the certificate and the CA certificate.
    public let file: String
    /// The path of the PEM file that contains only the CA certificate.
    public let authority: String
    /// The common name of the CA, which contains a random part so that each CA has a different name.
    public let name: String
    /// Whether the certificate and the CA were just created, which means that browsers do not trust the CA yet.
    public let isNew: Bool

    /// The lifetime of a certificate in days, which is the maximum that browsers accept from a manually added CA.
    static let days = 825.0
    /// The number of remaining days of validity below which a certificate is replaced.
    static let margin = 30.0
    static let names = (pair: "localhost.pem", authority: "local-ca.pem")

    /// Reads the certificate from a state directory, or creates one if none is there or it must be replaced.
    ///
    /// A certificate is replaced if it expires soon, or if its CA limits IP addresses, which some clients reject.
    ///
    /// - Throws: `StoreError`, with code `unreadable` if this program did not create the file.
    public init(in directory: StateDirectory, now: Date) throws(StoreError) {
        file = directory.path(Self.names.pair)
        authority = directory.path(Self.names.authority)
        if let kept = try directory.readPrivateFile(Self.names.pair, limit: 16384) {
            let root = try Self.root(kept, file)
            if root.notValidAfter > now.addingTimeInterval(Self.margin * 86400), !Self.constrainsAddresses(root) {
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
            throw StoreError(.failed, "cannot create a certificate for localhost: \(error)")
        }
        try directory.makePrivateFile(Self.names.pair, Array(made.pem.utf8))
        name = made.root.subject.commonName
        isNew = true
        try Self.publish(made.root, in: directory)
    }

    /// Logs the path of the CA file and, if the CA is new, how to make a browser trust the CA.
    public func log(to logger: Logger) {
        var metadata: Logger.Metadata = ["ca": "\(authority)"]
        if isNew { metadata["trust"] = "certutil -d sql:$HOME/.pki/nssdb -A -t C,, -n '\(name)' -i \(authority)" }
        logger.notice(
            isNew
                ? "localhost certificate created, browsers must trust its CA"
                : "using the daemon's own localhost certificate",
            metadata: metadata
        )
    }

    private static func publish(_ root: Certificate, in directory: StateDirectory) throws(StoreError) {
        let text = Array((try? root.serializeAsPEM().pemString + "\n")?.utf8 ?? "".utf8)
        if try directory.readPrivateFile(names.authority, limit: 16384).map(Array.init) == text { return }
        try directory.removePrivateFile(names.authority)
        try directory.makePrivateFile(names.authority, text)
    }

    /// Whether a CA certificate limits IP addresses, a kind of constraint that BoringSSL does not support.
    private static func constrainsAddresses(_ root: Certificate) -> Bool {
        (try? root.extensions.nameConstraints)?.permittedIPRanges.isEmpty == false
    }

    /// Returns the CA certificate, which is the last certificate in a PEM file.
    private static func root(_ pem: Data, _ path: String) throws(StoreError) -> Certificate {
        let found = try? PEMDocument.parseMultiple(pemString: String(decoding: pem, as: UTF8.self))
        guard let last = found?.last, let root = try? Certificate(pemDocument: last), !root.subject.commonName.isEmpty
        else {
            throw StoreError(.unreadable, "\(path) is not a certificate of this program; move it away")
        }
        return root
    }
}

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
        // The validity period starts an hour before `now`, for machines whose clocks are slightly slow.
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
                // BoringSSL rejects certificates with constraints on IP addresses, so only host names are constrained.
                Critical(NameConstraints(permittedDNSDomains: ["localhost"]))
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
    fileprivate var commonName: String {
        for relative in self {
            for attribute in relative where attribute.type == .RDNAttributeType.commonName {
                return String(describing: attribute.value)
            }
        }
        return ""
    }
}
