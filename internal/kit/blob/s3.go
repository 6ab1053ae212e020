package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"konak/internal/kit/fault"
	"konak/internal/kit/outbound"
)

// s3 stores blobs in a bucket.
type s3 struct {
	client         *minio.Client
	bucket, prefix string
}

var errS3URL = errors.New("--s3-url: write https://ACCESS_KEY:SECRET_KEY@HOST/BUCKET[/PREFIX][?region=REGION]; http:// only on this machine")

// parseS3 parses https://key:secret@host/bucket/prefix?region=…. Errors do not repeat the
// address: it contains a secret.
func parseS3(address string) (*s3, error) {
	u, err := url.Parse(address)
	if err != nil || u.User == nil || u.Host == "" || u.Scheme != "https" && (u.Scheme != "http" || !local(u.Hostname())) {
		return nil, errS3URL
	}
	secret, _ := u.User.Password()
	bucket, prefix, _ := strings.Cut(strings.Trim(u.Path, "/"), "/")
	query := u.Query()
	region := query.Get("region")
	query.Del("region")
	if u.User.Username() == "" || secret == "" || bucket == "" || len(query) > 0 {
		return nil, errS3URL
	}
	if region == "" {
		region = "us-east-1" // the usual name in services without regions
	}
	client, err := minio.New(u.Host, &minio.Options{
		Creds: credentials.NewStaticV4(u.User.Username(), secret, ""), Secure: u.Scheme == "https", Region: region,
		BucketLookup: lookup(u.Hostname()), MaxRetries: 4, Transport: s3Transport{outbound.New(outbound.Options{Operator: true, Patience: func() time.Duration { return s3Patience }})},
	})
	if err != nil {
		return nil, fmt.Errorf("--s3-url: %w", err)
	}
	return &s3{client, bucket, prefix}, nil
}

const (
	// s3Patience is how long the service may stay silent.
	s3Patience = time.Minute
	// s3Answer is the maximum size of an answer that is not the file itself.
	s3Answer = 1 << 20
)

// s3Transport limits the size of the service's answers. Only files may exceed a megabyte,
// and they are streamed; the client reads everything else into memory.
type s3Transport struct{ out *outbound.Client }

// RoundTrip implements http.RoundTripper.
func (t s3Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.out.RoundTrip(req)
	if err == nil && (req.Method != http.MethodGet || resp.StatusCode/100 != 2 || req.URL.Query().Has("list-type")) {
		outbound.LimitBody(resp, s3Answer)
	}
	return resp, err
}

// lookup addresses Amazon's buckets by their own host names and those of other services by
// path, because their certificates seldom cover such names.
func lookup(host string) minio.BucketLookupType {
	if strings.HasSuffix(host, ".amazonaws.com") {
		return minio.BucketLookupAuto
	}
	return minio.BucketLookupPath
}

func local(host string) bool {
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

func (s *s3) key(name string) string { return path.Join(s.prefix, name) }

func (s *s3) put(ctx context.Context, name string, f *os.File, size int64) error {
	_, err := s.client.PutObject(ctx, s.bucket, s.key(name), f, size, minio.PutObjectOptions{
		ContentType: "application/octet-stream",
		// The file is on disk and far below the maximum size of one request; a multipart
		// upload would leave parts behind if it were interrupted.
		DisableMultipart: true,
		// Signing an empty body in chunks would announce a body of unknown length.
		DisableContentSha256: size == 0,
	})
	return asOutage(err)
}

func (s *s3) open(ctx context.Context, name string) (io.ReadSeekCloser, int64, error) {
	o, err := s.client.GetObject(ctx, s.bucket, s.key(name), minio.GetObjectOptions{})
	if err == nil {
		// Nothing is requested before the first read; whether it exists must be known
		// before an answer begins.
		info, failed := o.Stat()
		if failed == nil {
			return o, info.Size, nil
		}
		err = failed
		_ = o.Close()
	}
	if minio.ToErrorResponse(err).Code == minio.NoSuchKey {
		return nil, 0, ErrMissing
	}
	return nil, 0, fmt.Errorf("blob: open: %w", asOutage(err))
}

// asOutage returns unavailable for a temporary error of the service, and every other error
// unchanged.
func asOutage(err error) error {
	if minio.ToErrorResponse(err).StatusCode >= http.StatusInternalServerError {
		return fault.New(fault.Unavailable).Wrap(err)
	}
	return err
}

func (s *s3) remove(ctx context.Context, name string) error {
	return s.client.RemoveObject(ctx, s.bucket, s.key(name), minio.RemoveObjectOptions{})
}

func (s *s3) check(ctx context.Context) error {
	ok, err := s.client.BucketExists(ctx, s.bucket)
	var network net.Error
	switch {
	case errors.As(err, &network):
		return errors.New("the S3 service cannot be reached")
	case err != nil:
		return fmt.Errorf("the S3 service refuses: %s", minio.ToErrorResponse(err).Code)
	case !ok:
		return fmt.Errorf("the S3 service has no bucket %q", s.bucket)
	}
	return nil
}

// tenants lists the folders of the bucket, a thousand per request, without the files in
// them.
func (s *s3) tenants(ctx context.Context) ([]uuid.UUID, error) {
	ctx, cancel := context.WithCancel(ctx) // ends the listing if the loop returns early
	defer cancel()
	below := s.prefix
	if below != "" {
		below += "/"
	}
	var out []uuid.UUID
	for o := range s.client.ListObjects(ctx, s.bucket, minio.ListObjectsOptions{Prefix: below}) {
		if o.Err != nil {
			return nil, asOutage(o.Err)
		}
		name, isFolder := strings.CutSuffix(strings.TrimPrefix(o.Key, below), "/")
		if tenant, ok := tenantOf(name); ok && isFolder {
			out = append(out, tenant)
		}
	}
	return out, nil
}

func (s *s3) place(tenant uuid.UUID) string { return path.Join(s.bucket, s.key(tenant.String())) }
