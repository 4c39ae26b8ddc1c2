import Foundation
import HostedPages
import Policies

/// Samples of pages with an operator's branding.
extension PageSample {
    private static let hills = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1600 900" preserveAspectRatio="xMidYMid slice">
        <rect width="1600" height="900" fill="#f7d9b0"/><circle cx="1180" cy="300" r="110" fill="#f2a65a"/>
        <path fill="#8fae8b" d="M0 620c300-160 560-120 800-40s520 60 800-80v400H0z"/>
        <path fill="#4f7f6b" d="M0 760c260-120 620-60 860-20s500 20 740-60v220H0z"/></svg>
        """

    private static let sun = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 36 36"><circle cx="18" cy="18" r="8" fill="#f2a65a"/>
        <path stroke="#c2410c" stroke-width="3" stroke-linecap="round"
        d="M18 2v4M18 30v4M2 18h4M30 18h4M7 7l3 3M26 26l3 3M29 7l-3 3M10 26l-3 3"/></svg>
        """

    private static let scene = """
        <link rel="stylesheet" href="scene.css">
        <header class="scene"><p>Nordlicht <span>Homes owned jointly by 300 neighbours.</span></p></header>
        <div id="api"></div>
        """

    private static let sceneSheet = """
        body{grid-template:1fr/1.1fr 1fr;background:var(--card)}
        .scene{display:grid;align-content:end;padding:3rem;background:linear-gradient(160deg,#1d4d4f,#0d2328);color:#fff}
        .scene p{max-width:24rem;font-size:2rem;font-weight:650;line-height:1.2;letter-spacing:-.02em}
        .scene span{display:block;margin-top:.5rem;line-height:1.4;font-size:1.0625rem;font-weight:400;letter-spacing:0}
        .card{border:0;box-shadow:none}
        @media (max-width:52rem){body{grid-template:auto 1fr/minmax(0,1fr)}.scene{min-height:11rem;padding:1.25rem}}
        """

    static func brands() throws -> [PageSample] {
        let picture = try PageFile(name: "hills.svg", bytes: Data(hills.utf8))
        let logo = try PageFile(name: "sun.svg", bytes: Data(sun.utf8))
        let orange = PageLook(
            title: "Sonnenhof",
            accent: AccentColour("#c2410c") ?? .preset,
            logo: logo,
            background: .picture(picture)
        )
        let yellow = PageLook(title: "Yellow", accent: AccentColour("#ffd400") ?? .preset)
        let scenery = PageLook(
            title: "Nordlicht",
            accent: AccentColour("#0f766e") ?? .preset,
            template: try PageTemplate(html: scene) { name throws(PageFile.Refusal) in
                try PageFile(name: name, bytes: Data(sceneSheet.utf8))
            }
        )
        return try [("branded", orange), ("branded-yellow", yellow), ("template", scenery)].map { name, look in
            let policy = try Policy.sample(pages: look)
            let page = page(signIn, policy) {
                $0.client = "the members’ area"
                $0.keepsSignedIn = true
                $0.offers = [.forgot]
            }
            return PageSample(name, page, in: .sample(policy))
        }
    }
}
