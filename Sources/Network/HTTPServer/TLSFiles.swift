import NIOSSL

/// A certificate chain and its private key, as PEM files.
public struct TLSFiles: Hashable, Sendable {
    /// The certificate, then those that lead to its root.
    public let certificate: String
    /// The certificate's private key.
    public let privateKeyFile: String

    /// TLS by these files.
    public init(certificate: String, privateKeyFile: String) {
        self.certificate = certificate
        self.privateKeyFile = privateKeyFile
    }

    /// TLS 1.2 or later with these files.
    func configuration() throws -> TLSConfiguration {
        let chain = try NIOSSLCertificate.fromPEMFile(certificate)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: privateKeyFile, format: .pem))
        )
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        return configuration
    }
}
