/// The endpoints of an authority for programs: a form comes in, a document goes out.
public struct Programs: Sendable {
    let authority: Authority
}

extension Authority {
    /// The endpoints for programs.
    public var programs: Programs { Programs(authority: self) }

    /// The requests of devices.
    public var devices: Devices { Devices(authority: self) }
}
