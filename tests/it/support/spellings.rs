//! Every way we know to write an address that must not be reached, made from the addresses themselves.

use std::net::{Ipv4Addr, Ipv6Addr};

/// Addresses of every closed range: loopback first, which a canary can listen on.
const CLOSED: &[[u8; 4]] = &[
    [127, 0, 0, 1],
    [127, 255, 255, 254],
    [0, 0, 0, 0],
    [10, 0, 0, 1],
    [172, 16, 0, 1],
    [172, 31, 255, 254],
    [192, 168, 1, 1],
    [169, 254, 169, 254],
    [169, 254, 170, 2],
    [168, 63, 129, 16],
    [100, 64, 0, 1],
    [100, 100, 100, 200],
    [192, 0, 0, 192],
    [198, 18, 0, 1],
    [224, 0, 0, 251],
    [255, 255, 255, 255],
];

/// Names of this machine, this network and clouds' metadata.
const NAMES: &[&str] = &[
    "localhost",
    "LOCALHOST",
    "localhost.",
    "localhost..",
    "a.localhost",
    "127.0.0.1.localhost",
    "localhost.localdomain",
    "localhost6",
    "localhost6.localdomain6",
    "ip6-localhost",
    "ip6-loopback",
    "loopback",
    "broadcasthost",
    "metadata",
    "metadata.google.internal",
    "METADATA.google.internal.",
    "instance-data.ec2.internal",
    "kubernetes.default.svc.cluster.local",
    "host.docker.internal",
    "gateway.docker.internal",
    "printer.local",
    "nas.lan",
    "router.home.arpa",
    "wiki.intranet",
    "ｌｏｃａｌｈｏｓｔ",
    "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ",
    "loc%61lhost",
    "local\u{ad}host",
    "localhost。",
];

/// All spellings, as URLs with this port.
pub fn all(port: u16) -> Vec<String> {
    let hosts = CLOSED.iter().flat_map(|octets| hosts(*octets)).chain(NAMES.iter().map(|name| (*name).to_owned()));
    let mut urls: Vec<String> =
        hosts.flat_map(|host| [format!("http://{host}:{port}/"), format!("https://{host}:{port}/")]).collect();
    for octets in CLOSED {
        urls.extend(tricks(Ipv4Addr::from(*octets), port));
    }
    urls.sort();
    urls.dedup();
    urls
}

/// The host part in every notation the URL standard reads as this IPv4 address, and in the IPv6 forms that carry it.
fn hosts(octets: [u8; 4]) -> Vec<String> {
    let [a, b, c, d] = octets;
    let bits = u32::from_be_bytes(octets);
    let (low24, low16) = (bits & 0xff_ffff, bits & 0xffff);
    let mut hosts = vec![
        format!("{a}.{b}.{c}.{d}"),
        format!("{a}.{b}.{c}.{d}."),
        format!("{bits}"),
        format!("0x{bits:08x}"),
        format!("0X{bits:X}"),
        format!("0{bits:o}"),
        format!("{a}.{low24}"),
        format!("{a}.{b}.{low16}"),
        format!("0x{a:x}.0x{b:x}.0x{c:x}.0x{d:x}"),
        format!("0{a:o}.0{b:o}.0{c:o}.0{d:o}"),
        format!("000{a:o}.000{b:o}.000{c:o}.000{d:o}"),
        format!("0x{a:x}.{b}.0{c:o}.{d}"),
        format!("{a}.0x{low24:x}"),
        format!("0{a:o}.{b}.{low16}"),
        full_width(&format!("{a}.{b}.{c}.{d}")),
        circled(&format!("{a}.{b}.{c}.{d}")),
        format!("{a}。{b}。{c}。{d}"),
        format!("{a}．{b}．{c}．{d}"),
        format!("{a}｡{b}｡{c}｡{d}"),
        format!("{a}%2e{b}%2E{c}%2e{d}"),
        percent(&format!("{a}.{b}.{c}.{d}")),
    ];
    let [high, low] = [(bits >> 16) as u16, (bits & 0xffff) as u16];
    let carriers = [
        Ipv6Addr::new(0, 0, 0, 0, 0, 0xffff, high, low),
        Ipv6Addr::new(0, 0, 0, 0, 0, 0, high, low),
        Ipv6Addr::new(0, 0, 0, 0, 0xffff, 0, high, low),
        Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, high, low),
        Ipv6Addr::new(0x64, 0xff9b, 1, 0, 0, 0, high, low),
        Ipv6Addr::new(0x2002, high, low, 0, 0, 0, 0, 1),
        Ipv6Addr::new(0x2001, 0, high, low, 0, 0, 0, 1),
        Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, !high, !low),
        Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0x5efe, high, low),
        Ipv6Addr::new(0x2a00, 0x1450, 0, 0, 0x200, 0x5efe, high, low),
    ];
    for carrier in carriers {
        hosts.push(format!("[{carrier}]"));
        hosts.push(format!("[{}]", whole(carrier)));
    }
    hosts.push(format!("[::ffff:{a}.{b}.{c}.{d}]"));
    hosts.push(format!("[64:ff9b::{a}.{b}.{c}.{d}]"));
    hosts
}

/// Returns the ways to surround a host to hide it.
fn tricks(address: Ipv4Addr, port: u16) -> Vec<String> {
    vec![
        format!("http://example.com@{address}:{port}/"),
        format!("http://example.com:80@{address}:{port}/"),
        format!("http://{address}:{port}#@example.com/"),
        format!("http://{address}:{port}?@example.com/"),
        format!("http://{address}:{port}\\@example.com/"),
        format!("http:\\\\{address}:{port}\\"),
        format!("http:{address}:{port}/"),
        format!("http:/{address}:{port}/"),
        format!("http:////{address}:{port}/"),
        format!(" \thttp://{address}:{port}/ "),
        format!("ht\ntp://{address}:{port}/"),
        format!("http://@{address}:{port}/"),
        format!("HTTP://{address}:0{port}/"),
    ]
}

fn whole(address: Ipv6Addr) -> String {
    address.segments().map(|segment| format!("{segment:04X}")).join(":")
}

fn mapped(text: &str, digit: impl Fn(u32) -> char) -> String {
    text.chars().map(|c| c.to_digit(10).map_or(c, &digit)).collect()
}

fn full_width(text: &str) -> String {
    mapped(text, |digit| char::from_u32(0xff10 + digit).unwrap())
}

fn circled(text: &str) -> String {
    mapped(text, |digit| if digit == 0 { '⓪' } else { char::from_u32(0x245f + digit).unwrap() })
}

fn percent(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02x}")).collect()
}

/// Public places next to every closed range, and plain ones: 200 and more.
pub fn public() -> Vec<String> {
    let mut urls = Vec::new();
    let edges = [
        [1, 0, 0, 0],
        [9, 255, 255, 255],
        [11, 0, 0, 0],
        [100, 63, 255, 255],
        [100, 128, 0, 0],
        [126, 255, 255, 255],
        [128, 0, 0, 0],
        [168, 63, 129, 15],
        [168, 63, 129, 17],
        [169, 253, 255, 255],
        [169, 255, 0, 0],
        [172, 15, 255, 255],
        [172, 32, 0, 0],
        [191, 255, 255, 255],
        [192, 0, 1, 0],
        [192, 0, 3, 0],
        [192, 88, 98, 255],
        [192, 88, 100, 0],
        [192, 167, 255, 255],
        [192, 169, 0, 0],
        [198, 17, 255, 255],
        [198, 20, 0, 0],
        [198, 51, 99, 255],
        [198, 51, 101, 0],
        [203, 0, 112, 255],
        [203, 0, 114, 0],
        [223, 255, 255, 255],
        [8, 8, 8, 8],
    ];
    for octets in edges {
        let address = Ipv4Addr::from(octets);
        urls.extend([
            format!("http://{address}/"),
            format!("https://{address}:8443/"),
            format!("http://{}/", u32::from(address)),
            format!("http://0x{:x}/", u32::from(address)),
        ]);
    }
    for first in [
        0x2001_0200_u32,
        0x2001_4860,
        0x2003_0000,
        0x2400_cb00,
        0x2606_4700,
        0x2620_00fe,
        0x2a00_1450,
        0x2c0f_f248,
        0x3ffd_0000,
    ] {
        let address = Ipv6Addr::new((first >> 16) as u16, first as u16, 0, 0, 0, 0, 0, 0x53);
        urls.extend([format!("http://[{address}]/"), format!("https://[{address}]:444/x")]);
    }
    let names = [
        "example.com",
        "example.com.",
        "EXAMPLE.org",
        "a.b.c.example.net",
        "localhost.example.com",
        "notlocalhost",
        "mylocal",
        "local.co",
        "internal.example.com",
        "intranet.io",
        "lan.example.org",
        "metadata.example.com",
        "127.0.0.1.example.com",
        "10.example.com",
        "0x7f.example.com",
        "xn--bcher-kva.example",
        "bücher.example",
        "api.openai.com",
        "home-arpa.example",
        "arpa.example",
        "localdomain.example",
        "loopback.example",
        "_dmarc.example.com",
        "a-b.example",
        "1.example",
        "例え.example",
        "пример.example",
        "ip6-localhost.example",
        "169-254-169-254.example",
        "nip.example",
        "lvh.example",
        "www.local-news.example",
    ];
    for name in names {
        urls.extend([format!("http://{name}/"), format!("https://{name}:8443/a?b=c#d"), format!("http://www.{name}/")]);
    }
    urls.sort();
    urls.dedup();
    urls
}
